import { argument, number } from '../../../cli/arguments/option-table.js'
import { requireWholeNumber } from '../../../cli/arguments/whole-number.js'
import { defineCommand } from '../../../cli/command.js'
import { exitCodes } from '../../../cli/output/exit-codes.js'
import { type Column, printTable } from '../../../cli/output/table.js'
import type { Terminal } from '../../../cli/output/terminal.js'
import { readSchema, withServices } from '../../../cli/sessions/local-or-remote.js'
import { findingLine } from '../../../core/problem.js'
import { pluralize } from '../../../core/text/pluralize.js'
import { parseId } from '../../../core/value-types.js'
import type { AffectedDocument, ImpactCounts } from '../impact/schema-impact.js'
import { assessInFolder, assessOnServer, type ImpactSummary } from './assess-schema.js'

/** Default of `--limit`, the limit of the documents that are listed. */
const usualLimit = 100

export const impactCommand = defineCommand({
  takesUrl: true,
  positionals: {
    schemaId: { ...argument, describe: 'Id of the schema' },
    file: {
      ...argument,
      describe: 'File of the new schema, read with the files it refers to; - is standard input',
    },
  },
  options: {
    limit: { ...number, default: usualLimit, describe: 'Most documents to list' },
  },
  async run(argv, context) {
    const { terminal } = context
    const id = parseId(argv.schemaId, 'The schema id')
    const { limit } = argv
    requireWholeNumber('limit', limit, 0)
    const upload = await readSchema(argv, argv.file)
    const documents: AffectedDocument[] = []
    const bar = terminal.longProgress('documents checked')
    const assessed = {
      onProgress: ({ checked, total }: ImpactCounts) => bar.show(checked, total),
      onDocument: (document: AffectedDocument) => {
        if (documents.length < limit) documents.push(document)
      },
      onEnd: () => bar.end(),
    }
    const { url } = argv
    const bases = argv.baseUrl === undefined ? [] : [argv.baseUrl]
    const summary =
      url === undefined
        ? await withServices(argv, context, ({ parts }) => assessInFolder(parts, bases, id, upload, assessed))
        : await assessOnServer(url, id, upload, assessed)
    if (summary.breaking > 0) context.finish(exitCodes.invalid)
    const more = summary.breaking + summary.invalidBefore > documents.length
    if (argv.json) return terminal.printJson({ ...summary, documents, more })
    if (documents.length > 0) await printTable(terminal, documents, columns)
    if (more) terminal.note(`There are more; --limit says how many are listed.`)
    for (const line of sumOf(terminal, summary)) await terminal.print(line)
  },
})

const columns: readonly Column<AffectedDocument>[] = [
  { title: 'ID', value: ({ id }) => id, identifies: true },
  { title: 'VERSION', value: ({ version }) => String(version) },
  { title: 'FOLLOWS', value: ({ schemaVersion }) => `version ${schemaVersion}` },
  { title: 'NOW', value: ({ validBefore }) => (validBefore ? 'valid' : 'not valid') },
  { title: 'WOULD BE WRONG', value: ({ findings: [first] }) => (first ? findingLine(first) : '') },
]

function sumOf(terminal: Terminal, summary: ImpactSummary): readonly string[] {
  const { schema, checked, breaking, invalidBefore } = summary
  const all = `${pluralize(checked, 'document')} that ${checked === 1 ? 'follows' : 'follow'} ${schema.id}`
  const broken = breaking === 0 ? terminal.paint('green', 'none') : terminal.paint('red', String(breaking))
  return [
    `Of ${all}, the new version would break ${broken}.`,
    ...(invalidBefore === 0
      ? []
      : [
          `Not valid with the new version, nor with the current one: ${pluralize(invalidBefore, 'document')}.`,
        ]),
  ]
}
