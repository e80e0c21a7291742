// Mocha's spec reporter, which closes with the count on one line: `123 passed, 0 failed, 2 skipped`.
const Mocha = require('mocha')

module.exports = class extends Mocha.reporters.Spec {
  epilogue() {
    super.epilogue()
    const { passes, failures, pending } = this.stats
    Mocha.reporters.Base.consoleLog(
      `${passes} passed, ${failures} failed${pending > 0 ? `, ${pending} skipped` : ''}`,
    )
  }
}
