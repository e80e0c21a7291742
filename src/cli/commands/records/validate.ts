import { findingLine } from '../../../core/problem.js'
import { parseId } from '../../../core/value-types.js'
import { readInput } from '../../arguments/input-file.js'
import { argument } from '../../arguments/option-table.js'
import { parseOptionalVersion, schemaVersion } from '../../arguments/record-arguments.js'
import { defineCommand } from '../../command.js'
import { exitCodes } from '../../output/exit-codes.js'
import { withSession } from '../../sessions/local-or-remote.js'

export const validateCommand = defineCommand({
  takesUrl: true,
  positionals: {
    schemaId: { ...argument, describe: 'Id of the schema' },
    files: { ...argument, array: true, describe: 'Files of documents; - is standard input' },
  },
  options: { version: schemaVersion },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.schemaId, 'The schema id')
    const version = parseOptionalVersion(argv.version)
    const bar = terminal.progress('validate')
    const verdicts = await withSession(argv, context, async session => {
      const checked = []
      try {
        for (const file of argv.files) {
          bar.show(checked.length, argv.files.length)
          checked.push({ file, findings: await session.validate(id, version, await readInput(file)) })
        }
      } finally {
        bar.end()
      }
      return checked
    })
    if (verdicts.some(({ findings }) => findings.length > 0)) context.finish(exitCodes.invalid)
    if (argv.json) {
      await terminal.printJson(
        verdicts.map(({ file, findings }) => ({ file, valid: findings.length === 0, findings })),
      )
      return
    }
    for (const { file, findings } of verdicts) {
      const valid = findings.length === 0
      await terminal.print(
        `${valid ? terminal.paint('green', 'valid  ') : terminal.paint('red', 'invalid')}  ${file}`,
      )
      for (const finding of findings) await terminal.print(`  ${findingLine(finding)}`)
    }
  },
})
