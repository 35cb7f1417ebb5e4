'use strict';
// Reads one {"p": pattern, "s": [subject, ...]} per line. Writes one line for each: "invalid", "skip"
// (took too long, or V8 refuses to compile it), or one digit per subject, 1 for a match.
const vm = require('node:vm');
const input = require('node:fs').readFileSync(0, 'utf8');
const job = { regexp: null, subjects: [] };
const context = vm.createContext({
  run: () => job.subjects.map((subject) => (job.regexp.test(subject) ? '1' : '0')).join(''),
});
const script = new vm.Script('run()');
const answers = [];
for (const line of input.split('\n')) {
  if (line === '') continue;
  const { p, s } = JSON.parse(line);
  try {
    job.regexp = new RegExp(p);
  } catch {
    answers.push('invalid');
    continue;
  }
  job.subjects = s;
  try {
    answers.push(script.runInContext(context, { timeout: 250 }));
  } catch {
    answers.push('skip');
  }
}
process.stdout.write(answers.join('\n') + '\n');
