// Mocha's spec reporter for `npm test`, which runs each group of files in a process. It also sends the counts and the
// failures to the parent process.
const Mocha = require('mocha')

const { Base, Spec } = Mocha.reporters

module.exports = class extends Spec {
  epilogue() {
    const { passes: passed, failures: failed, pending: skipped } = this.stats
    if (failed > 0) Base.list(this.failures)
    process.send({ passed, failed, skipped, failures: this.failures.map(told) })
  }
}

function told(test) {
  const { message = 'It failed.', stack = '' } = test.err ?? {}
  const places = stack.split('\n').filter(line => line.includes('dist/test/'))
  return [test.titlePath().join(' › '), `  ${message}`, ...places].join('\n')
}
