// `npm run bench -- NAME [--json] [options]`: each bench is a file of its own that reads its own options.
const NAMES = ['engine', 'growth', 'drain', 'csv'];

const [name] = process.argv.splice(2, 1);
if (name === undefined || !NAMES.includes(name)) {
  console.error(`usage: npm run bench -- ${NAMES.join('|')} [--json] [options]`);
  process.exitCode = 2;
} else {
  await import(`./${name}.ts`);
}
