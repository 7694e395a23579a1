import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bareEnvironment, clientUrl, loadConfiguration } from './configuration.ts';

let folder = '';
const home = process.cwd();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-config-'));
  process.chdir(folder);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  process.chdir(home);
  await rm(folder, { recursive: true });
});

describe('loadConfiguration', () => {
  it('takes flags over environment over file over defaults', async () => {
    await writeFile('sluice.config.json', '{"port": 1, "prefetch": 2, "host": "::1"}');
    vi.stubEnv('SLUICE_PORT', '3');
    vi.stubEnv('SLUICE_PREFETCH', '4');
    const parsed = loadConfiguration({ port: '5' });
    expect(parsed).toMatchObject({
      ok: true,
      config: { port: 5, prefetch: 4, host: '::1', workerConcurrency: 4 },
    });
  });

  it('is not stopped by the setting of clients', () => {
    vi.stubEnv('SLUICE_URL', 'http://127.0.0.1:1');
    expect(loadConfiguration({}).ok).toBe(true);
    vi.stubEnv('SLUICE_URLS', 'x');
    expect(loadConfiguration({})).toMatchObject({
      ok: false,
      errors: [expect.stringContaining('SLUICE_URLS')],
    });
  });

  it('names a file that is no JSON', async () => {
    await writeFile('sluice.config.json', '{oops');
    expect(loadConfiguration({})).toEqual({ ok: false, errors: ['sluice.config.json is not JSON'] });
  });
});

it('clientUrl takes the flag over the environment over the default, and refuses what is no address', () => {
  expect(clientUrl(undefined)).toEqual({ url: 'http://127.0.0.1:7070' });
  vi.stubEnv('SLUICE_URL', 'http://127.0.0.1:1');
  expect(clientUrl(undefined)).toEqual({ url: 'http://127.0.0.1:1' });
  expect(clientUrl('https://queue.example')).toEqual({ url: 'https://queue.example' });
  expect(clientUrl('queue.example')).toMatchObject({
    error: expect.stringContaining('--url is "queue.example"'),
  });
});

it('bareEnvironment has none of our settings', () => {
  vi.stubEnv('SLUICE_PORT', '3');
  expect(Object.keys(bareEnvironment()).filter((name) => name.startsWith('SLUICE_'))).toEqual([]);
});
