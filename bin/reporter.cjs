// Mocha's spec reporter for `npm test`, which runs a group of files a process: it sends, by file, the counts and the failures.
const Mocha = require('mocha')

const { Base, Spec } = Mocha.reporters
const kinds = { passed: 'pass', failed: 'fail', skipped: 'pending' }

module.exports = class extends Spec {
  files = {}

  constructor(runner, options) {
    super(runner, options)
    for (const [kind, event] of Object.entries(kinds)) runner.on(event, test => this.resultOf(test)[kind]++)
    runner.on('fail', test => this.resultOf(test).failures.push(told(test)))
  }

  epilogue() {
    if (this.failures.length > 0) Base.list(this.failures)
    process.send(this.files)
  }

  resultOf(test) {
    const file = fileOf(test)
    this.files[file] ??= { passed: 0, failed: 0, skipped: 0, failures: [] }
    return this.files[file]
  }
}

/** Of a hook, mocha knows the file by the suite. A hook of all files has none; mocha's exit code tells that it failed. */
function fileOf(test) {
  for (let at = test; at !== undefined; at = at.parent) if (at.file !== undefined) return at.file
}

function told(test) {
  const { message = 'It failed.', stack = '' } = test.err ?? {}
  const places = stack.split('\n').filter(line => line.includes('dist/test/'))
  return [test.titlePath().join(' › '), `  ${message}`, ...places].join('\n')
}
