// Mocha's spec reporter, which closes with the count on one line: `123 passed, 0 failed, 2 skipped`. Where `npm test` runs
// some files at a time, it tells the count and what failed to whoever started it instead.
const Mocha = require('mocha')

const { Base, Spec } = Mocha.reporters

module.exports = class extends Spec {
  epilogue() {
    const { passes: passed, failures: failed, pending: skipped } = this.stats
    if (process.send) {
      if (failed > 0) Base.list(this.failures)
      process.send({ passed, failed, skipped, failures: this.failures.map(told) })
      return
    }
    super.epilogue()
    Base.consoleLog(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  }
}

function told(test) {
  const { message = 'It failed.', stack = '' } = test.err ?? {}
  const places = stack.split('\n').filter(line => line.includes('dist/test/'))
  return [test.titlePath().join(' › '), `  ${message}`, ...places].join('\n')
}
