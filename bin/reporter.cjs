// Mocha's spec reporter for `npm test`, which runs each group of files in a process. It also sends the counts and the
// failures to the parent process.
const Mocha = require('mocha')

const { Base, Spec } = Mocha.reporters
const { EVENT_TEST_PASS } = Mocha.Runner.constants

module.exports = class extends Spec {
  constructor(runner, options) {
    super(runner, options)
    this.passedTitles = []
    runner.on(EVENT_TEST_PASS, test => this.passedTitles.push(titleOf(test)))
  }

  epilogue() {
    const { passes: passed, failures: failed, pending: skipped } = this.stats
    if (failed > 0) Base.list(this.failures)
    const failures = this.failures.map(test => ({ title: titleOf(test), report: told(test) }))
    process.send({ passed, failed, skipped, failures, passedTitles: this.passedTitles })
  }
}

function titleOf(test) {
  return test.titlePath().join(' › ')
}

function told(test) {
  const { message = 'It failed.', stack = '' } = test.err ?? {}
  const places = stack.split('\n').filter(line => line.includes('dist/test/'))
  return [titleOf(test), `  ${message}`, ...places].join('\n')
}
