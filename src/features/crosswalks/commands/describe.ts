import { existsSync } from 'node:fs'
import { readInput, standardInput } from '../../../cli/arguments/input-file.js'
import { argument, number, text } from '../../../cli/arguments/option-table.js'
import { parseOptionalVersion } from '../../../cli/arguments/record-arguments.js'
import { requireWholeNumber } from '../../../cli/arguments/whole-number.js'
import { defineCommand } from '../../../cli/command.js'
import { exitCodes } from '../../../cli/output/exit-codes.js'
import { type Column, printTable } from '../../../cli/output/table.js'
import { withServices } from '../../../cli/sessions/local-or-remote.js'
import { revisionOf } from '../../../cli/sessions/local-repository.js'
import type { CoreParts } from '../../../compose/compose.js'
import { selfPrincipal } from '../../../core/access-control.js'
import { tryParseJson } from '../../../core/json/try-parse.js'
import { malformedRequest, unlessDamaged } from '../../../core/problem.js'
import type { DocumentDescription } from '../../../core/records/document-description.js'
import type { Revision } from '../../../core/records/revision.js'
import { parseId } from '../../../core/value-types.js'
import { formatCursor, parseCursor } from '../../../http/parameters/page-parameters.js'
import { detectDocumentType } from '../../../validation/detect-document-type.js'
import type { SchemaBundle } from '../../../validation/validator.js'
import { crosswalkWithFaults } from '../check-crosswalk.js'
import type { Crosswalk, CrosswalkFault } from '../crosswalk/crosswalk-rules.js'
import { documentTree, unreadable } from '../crosswalk/described-tree.js'
import { readCrosswalk } from '../crosswalk/read-crosswalk.js'
import { describeDocument } from '../describe-document.js'
import { openDescriptions } from '../open-descriptions.js'
import { openStoredDocuments } from '../stored-documents.js'
import { type Trial, tryCrosswalk } from '../trial.js'

export const describeCommand = defineCommand({
  positionals: {
    source: {
      ...argument,
      describe: 'Id of a metadata record, id of a schema for its documents, or a file; - is standard input',
    },
  },
  options: {
    crosswalk: { ...text, describe: 'File with a crosswalk, in place of that of the schema' },
    version: { ...text, describe: 'Version of the record; default: the newest' },
    limit: { ...number, describe: 'Documents of a schema to describe; default: 100' },
    after: { ...text, describe: 'Goes on after this document of a schema: "next" of the call before' },
  },
  async run(argv, context) {
    const { terminal } = context
    const { source, crosswalk: file, limit = 100 } = argv
    requireWholeNumber('limit', limit, 1, 1000)
    const after = argv.after === undefined ? undefined : parseCursor(argv.after)
    const json = file === undefined ? undefined : await readJsonFile(file)
    function tell(faults: readonly CrosswalkFault[]): void {
      if (faults.length > 0) context.finish(exitCodes.invalid)
      for (const { pointer, message } of faults)
        terminal.note(`${file ?? `the crosswalk of ${source}`}${pointer}: ${message}`)
    }
    /** Reads the crosswalk of the file, and tells what is wrong in it. */
    async function crosswalkFor(schema?: () => Promise<SchemaBundle>): Promise<Crosswalk | undefined> {
      if (json === undefined) return undefined
      const { crosswalk, faults } = schema ? await crosswalkWithFaults(json, schema) : readCrosswalk(json)
      tell(faults)
      return crosswalk
    }
    async function show(description: DocumentDescription): Promise<void> {
      if (argv.json) terminal.printJson(description)
      else await printTable(terminal, rowsOf(description), columns)
    }

    if (source === standardInput || existsSync(source)) {
      const bytes = await readInput(source)
      return await show(describeFile(source, bytes, await crosswalkFor()))
    }
    await withServices(argv, context, async services => {
      const revision = revisionOf(services, parseId(source, 'The id'), parseOptionalVersion(argv.version))
      const { parts } = services
      if (revision.kind === 'metadata') {
        await crosswalkFor(await schemaOf(parts, revision))
        const trial = json === undefined ? undefined : JSON.stringify(json)
        const { describeDocuments } = openStoredDocuments(parts)
        for await (const { description } of describeDocuments([revision], trial))
          if (description) await show(description)
          else throw malformedRequest(`The document of "${source}" ${unreadable(revision.documentType)}`)
        return
      }
      const tried = { ...(json !== undefined && { crosswalk: json }), limit, after }
      const descriptions = openDescriptions(parts)
      const bundleOf = (schema: Revision) => parts.bundles.ofStored(parts.catalog.committed, schema)
      const trial = await tryCrosswalk(descriptions, bundleOf, selfPrincipal, revision, tried)
      tell(trial.faults)
      const next = trial.next && formatCursor(trial.next)
      if (argv.json) return terminal.printJson({ ...trial, next })
      await printTable(terminal, trial.incomplete, incompleteColumns)
      terminal.note(summaryOf(trial, next))
    })
  },
})

/** What a trial says of all documents, in a line. */
function summaryOf({ checked, notRead, without, empty }: Trial, next: string | undefined): string {
  const { titles, creators, publicationYear } = without
  return (
    `${checked} ${checked === 1 ? 'document' : 'documents'}: ${titles} without a title, ${creators} without a creator, ${publicationYear} without a year.` +
    notRead.map(({ id, because }) => ` Not read: ${id}, ${because}.`).join('') +
    (empty.length > 0 ? ` No document has ${empty.join(', ')}.` : '') +
    (next === undefined ? '' : ` There are more: --after ${next}`)
  )
}

const incompleteColumns: readonly Column<Trial['incomplete'][number]>[] = [
  { title: 'ID', value: ({ id = '' }) => id, identifies: true },
  { title: 'VERSION', value: ({ version = '' }) => String(version) },
  { title: 'WITHOUT', value: ({ without }) => without.join(', ') },
]

/** Gives the newest version of the schema of a record; undefined without one that can be read. */
async function schemaOf(
  { catalog: { committed }, bundles }: Pick<CoreParts, 'catalog' | 'bundles'>,
  { record }: Revision,
): Promise<(() => Promise<SchemaBundle>) | undefined> {
  const schema = record.schema && committed.newest('schema', record.schema.schemaId)
  const bundle = schema && (await unlessDamaged(() => bundles.ofStored(committed, schema)))
  return bundle && (async () => bundle)
}

/** @throws ProblemError `malformed-request` for a file that is not JSON */
async function readJsonFile(file: string): Promise<unknown> {
  const json = tryParseJson((await readInput(file)).toString())
  if (json === undefined) throw malformedRequest(`${file} is not JSON.`)
  return json
}

function describeFile(
  file: string,
  bytes: Uint8Array,
  crosswalk: Crosswalk | undefined,
): DocumentDescription {
  const type = detectDocumentType(bytes)
  if (type === undefined) throw malformedRequest(`${file} is neither JSON nor XML.`)
  if (!documentTree(bytes, type)) throw malformedRequest(`${file} ${unreadable(type)}`)
  return describeDocument(bytes, type, crosswalk)
}

interface Row {
  readonly property: string
  readonly value: string
  readonly path: string
}

function rowsOf(description: DocumentDescription): readonly Row[] {
  return Object.entries(description).flatMap(([property, values]) =>
    values.map(({ value, path = '(constant)' }) => ({ property, value: textOf(value), path })),
  )
}

/** The texts in a value, such as `Doe, Jane; Personal; Jane; Doe`. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('; ')
  return typeof value === 'object' && value !== null ? textOf(Object.values(value)) : String(value)
}

const columns: readonly Column<Row>[] = [
  { title: 'PROPERTY', value: ({ property }) => property, identifies: true },
  { title: 'FROM', value: ({ path }) => path },
  { title: 'VALUE', value: ({ value }) => value },
]
