import { join } from 'node:path'
import { flag, text } from '../../../cli/arguments/option-table.js'
import { defineCommand } from '../../../cli/command.js'
import { UsageError } from '../../../cli/command-context.js'
import { isMissingOrEmpty } from '../../../cli/missing-or-empty.js'
import { isStandardOutput, makeOutputFolder, writeOutput } from '../../../cli/output/output-file.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { ProblemError } from '../../../core/problem.js'
import { toInstant } from '../../../core/value-types.js'
import {
  type CrateEntity,
  crateContext,
  crateDescriptor,
  crateFile,
} from '../../exports/formats/crate-entities.js'
import { formatHeader, formatLine } from '../interchange-format.js'
import { openCrate } from '../ro-crate.js'
import type { Export, Transfer } from '../transfer.js'
import { openTransfer } from '../transfer.js'
import { writeItem } from '../write-folder.js'

const formats = ['jsonl', 'tree', 'ro-crate'] as const

export const exportCommand = defineCommand({
  options: {
    format: {
      choices: formats,
      default: formats[0],
      describe: 'JSON lines, a folder tree, or a folder tree that is an RO-Crate',
    },
    history: { ...flag, describe: 'Export every version of metadata instead of the newest' },
    output: {
      ...text,
      alias: 'o',
      describe: 'File of JSON lines (default, or -: standard output), or folder of a tree, missing or empty',
    },
  },
  async run(argv, context) {
    const { terminal } = context
    const { format, history, json } = argv
    const output = argv.output === undefined || isStandardOutput(argv.output) ? undefined : argv.output
    if (format === 'ro-crate' && history) {
      throw new UsageError('An RO-Crate holds the newest versions: leave out --history.')
    }
    if (format !== 'jsonl' && output === undefined) {
      throw new UsageError(
        `--format ${format} writes a folder, not standard output: name a folder with --output.`,
      )
    }
    if (format !== 'jsonl' && output !== undefined && !(await isMissingOrEmpty(output))) {
      throw new ProblemError('conflict', `${output} is not empty. Name a folder that is missing or empty.`)
    }
    const total = await withServices(argv, context, async ({ parts }) => {
      const transfer = openTransfer(parts)
      const bar = terminal.longProgress('export')
      let done = 0
      const all = transfer.export(history)
      const count = () => bar.show(++done, all.total)
      try {
        if (output === undefined) {
          for await (const piece of lines(all, history, count)) await terminal.write(piece)
        } else if (format === 'jsonl') {
          await writeOutput(output, lines(all, history, count))
        } else if (format === 'tree') {
          await writeTree(output, all, count)
        } else {
          await writeCrate(output, transfer, all, count)
        }
      } finally {
        bar.end()
      }
      return all.total
    })
    if (output === undefined) return
    if (json) await terminal.printJson({ format, output, items: total })
    else await terminal.print(`Exported ${total} to ${terminal.paint('bold', output)}`)
  },
})

/** Number of characters that are collected before they are written. */
const pieceLength = 1 << 18

async function* lines(all: Export, history: boolean, count: () => void): AsyncGenerator<string> {
  let piece = formatHeader(history)
  for await (const { item, revision } of all.items()) {
    piece += formatLine(item, revision?.version)
    count()
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece
}

async function writeTree(folder: string, all: Export, count: () => void): Promise<void> {
  await makeOutputFolder(folder)
  for await (const each of all.items()) {
    await writeItem(folder, each)
    count()
  }
}

/** Writes a tree and the file that describes its content. */
async function writeCrate(folder: string, transfer: Transfer, all: Export, count: () => void): Promise<void> {
  await makeOutputFolder(folder)
  const about = await transfer.about()
  async function* entities(): AsyncGenerator<CrateEntity> {
    const crate = openCrate()
    yield crateDescriptor
    // Entities of metadata name paths of schemas, which are known when all versions of the schemas are read.
    for await (const each of all.items('schema')) {
      await writeItem(folder, each)
      const { item, revision } = each
      if (revision) {
        const { document, files } = item.state ?? { document: Buffer.alloc(0), files: new Map() }
        const further = [...files].map(([path, { length: size }]) => ({ path, size }))
        crate.schema(revision, item.number ?? 1, document.length, further)
      }
      count()
    }
    for await (const each of all.items('metadata')) {
      await writeItem(folder, each)
      const { revision, item } = each
      if (revision) {
        const size = item.state?.document.length ?? 0
        yield* crate.metadata(revision, size, await transfer.describe(revision))
      }
      count()
    }
    yield* crate.end(about, toInstant(Date.now()))
  }
  await writeOutput(join(folder, crateFile), graph(entities()))
}

async function* graph(entities: AsyncIterable<CrateEntity>): AsyncGenerator<string> {
  let before = `{\n"@context": ${JSON.stringify(crateContext)},\n"@graph": [\n`
  for await (const entity of entities) {
    yield before + JSON.stringify(entity)
    before = ',\n'
  }
  yield '\n]\n}\n'
}
