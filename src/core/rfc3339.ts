// RFC 3339 with a zone, to an Instant. Date.parse would also take zone-less and odd forms, so the text is read here.
import type { Instant } from './task.ts';

const FORM = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const MINUTE_MS = 60_000;

/** null where the text is not such a time. Fractions round up to the millisecond, so that nothing starts early. */
export function parseRfc3339(text: string): Instant | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [, , , , , , , fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = match;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  // A leap second (60) counts as the first instant of the next minute.
  if (hour > 23 || minute > 59 || second > 60 || Number(zoneHours) > 23 || Number(zoneMinutes) > 59)
    return null;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return utc(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + millis(fraction) - offsetMs;
}

function millis(fraction: string): number {
  const whole = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return /[1-9]/.test(fraction.slice(3)) ? whole + 1 : whole;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Date.UTC reads the years 0..99 as 1900..1999; shifting by the calendar's 400-year cycle avoids that. */
function utc(year: number, month: number, day: number): Instant {
  const CYCLE_MS = 146_097 * 86_400_000;
  return Date.UTC(year + 400, month - 1, day) - CYCLE_MS;
}
