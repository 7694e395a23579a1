// All checks by name, in the order in which they run: what most often fails comes first.
import { checkComments } from './comments.ts';
import { checkCycles } from './cycles.ts';
import { checkDead } from './dead.ts';
import { checkDuplicates } from './duplicates.ts';
import type { Check } from './finding.ts';
import { checkFloors } from './floors.ts';
import { checkGenerated } from './generated.ts';
import { checkLinks } from './links.ts';
import { checkLint } from './lint.ts';
import { checkPurity } from './purity.ts';
import { checkSizes } from './sizes.ts';
import { checkTypes } from './types.ts';

export const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['lint', checkLint],
  ['types', checkTypes],
  ['floors', checkFloors],
  ['cycles', checkCycles],
  ['purity', checkPurity],
  ['sizes', checkSizes],
  ['comments', checkComments],
  ['generated', checkGenerated],
  ['links', checkLinks],
  ['dead', checkDead],
  ['duplicates', checkDuplicates],
]);
