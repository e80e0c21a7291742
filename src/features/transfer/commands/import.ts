import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { standardInput } from '../../../cli/arguments/input-file.js'
import { argument, flag } from '../../../cli/arguments/option-table.js'
import { defineCommand } from '../../../cli/command.js'
import { type ExitCode, exitCodeOf, exitCodes } from '../../../cli/output/exit-codes.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { findingInMessage, findingLine, ProblemError } from '../../../core/problem.js'
import type { ImportFailure, ImportSummary } from '../import-report.js'
import type { SourceItem } from '../interchange-format.js'
import { readTree } from '../read-folder.js'
import { readLines } from '../read-json-lines.js'
import { openTransfer } from '../transfer.js'

export const importCommand = defineCommand({
  positionals: {
    source: {
      ...argument,
      describe: 'A file of JSON lines, a folder, or - for standard input. See docs/use/interchange.md',
    },
  },
  options: {
    update: { ...flag, describe: 'Store an item that differs from an existing record as its next version' },
    squash: { ...flag, describe: 'Make one commit for all metadata instead of one for each' },
    strict: { ...flag, describe: 'Stop at the first failure' },
  },
  async run(argv, context) {
    const { terminal } = context
    const { source, update, squash, strict, json } = argv
    const { items, total, label } = await openSource(source)
    let failures: ExitCode = exitCodes.good
    const summary = await withServices(argv, context, async services => {
      const bar = terminal.longProgress('import')
      try {
        const transfer = openTransfer(services.parts)
        return await transfer.import(items, {
          update,
          strict,
          ...(squash && { squash: `Import metadata from ${label}` }),
          progress: now => bar.show(sum(now), total),
          failed(failure) {
            bar.end()
            printFailure(terminal, json, failure)
            failures = Math.max(failures, codeOf(failure)) as ExitCode
          },
        })
      } finally {
        bar.end()
      }
    })
    context.finish(failures)
    if (sum(summary) === 0) {
      context.finish(exitCodes.refused)
      terminal.note(`There is no record in ${label}.`)
    }
    if (json) return terminal.printJson(summary)
    await terminal.print(summaryLine(terminal, summary))
  },
})

interface Source {
  readonly items: AsyncIterable<SourceItem>
  /** Number of items; undefined if it is not known before all are read. */
  readonly total: number | undefined
  readonly label: string
}

/**
 * Opens what is to be imported.
 * @param source a file, a folder, or a symbolic link to one; links inside a folder are not followed
 * @throws ProblemError `malformed-request` if the source cannot be read
 */
async function openSource(source: string): Promise<Source> {
  if (source === standardInput)
    return { items: readLines(process.stdin), total: undefined, label: 'standard input' }
  const label = basename(resolve(source))
  try {
    const found = await stat(source)
    if (found.isDirectory()) return { items: readTree(source), total: undefined, label }
    return {
      items: readLines(createReadStream(source, { highWaterMark })),
      // The lines of a pipe are not counted: it can be read only once.
      total: found.isFile() ? await countLines(source) : undefined,
      label,
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error
    const reason = code === 'EACCES' ? 'you may not read it' : 'there is no such file or folder'
    throw new ProblemError('malformed-request', `${source} cannot be read: ${reason}.`, {}, { cause: error })
  }
}

/** Number of bytes that are read at once. */
const highWaterMark = 1 << 20

async function countLines(file: string): Promise<number> {
  let count = 0
  for await (const chunk of createReadStream(file, { highWaterMark })) {
    for (let index = chunk.indexOf(10); index >= 0; index = chunk.indexOf(10, index + 1)) count++
  }
  return count
}

function sum({ created, revised, removed, there, failed }: ImportSummary): number {
  return created + revised + removed + there + failed
}

/** `malformed-request` is exit code 4 here: it concerns a line of the source, not the command line. */
function codeOf({ problem }: ImportFailure): ExitCode {
  const code = exitCodeOf(problem.kind)
  return code === exitCodes.refused ? code : exitCodes.invalid
}

function printFailure(terminal: Terminal, json: boolean, { place, record, problem }: ImportFailure): void {
  const { message, extra } = problem
  const findings = extra.findings ?? []
  if (json) {
    terminal.note(
      JSON.stringify({
        kind: problem.kind,
        place,
        ...(record !== undefined && { record }),
        message,
        ...(findings.length > 0 && { findings }),
      }),
    )
    return
  }
  terminal.note(`${[terminal.paintNote('red', place), record, message].filter(Boolean).join(': ')}`)
  const others = findingInMessage(message, findings) === undefined ? findings : findings.slice(1)
  for (const finding of others) terminal.note(`  ${findingLine(finding)}`)
}

function summaryLine(
  terminal: Terminal,
  { created, revised, removed, there, failed }: ImportSummary,
): string {
  const parts = [
    `${created} created`,
    ...(revised > 0 ? [`${revised} revised`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(there > 0 ? [`${there} there already`] : []),
  ]
  return `${parts.join(', ')}${failed > 0 ? `, ${terminal.paint('red', `${failed} failed`)}` : ''}`
}
