import type { Context } from 'koa'
import type { Principal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { dataCiteNamespace, dataCiteSchemaUrl } from '../../../exports/datacite/datacite-xml.js'
import { titleOf } from '../../../exports/datacite/export-context.js'
import { exportInput } from '../../../exports/export-job.js'
import { oaiDcNamespace, oaiDcSchemaUrl } from '../../../exports/formats/dublin-core.js'
import type { Exports } from '../../../service/exports/exports.js'
import type { HarvestItem, Harvesting, HarvestPart } from '../../../service/harvesting/harvest.js'
import { HarvestError } from '../../../service/harvesting/harvest-error.js'
import { type BuiltInPrefix, isBuiltIn, renderingOf } from '../../../service/harvesting/harvest-formats.js'
import { fixedSets, schemaSet } from '../../../service/harvesting/harvest-sets.js'
import { isReadable } from '../../../service/rules/visibility.js'
import { addressesOf, type PageUrls } from '../../html-pages/page-urls.js'
import type { OaiOptions } from '../../oai-options.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import type { UnversionedContext } from '../../route-context.js'
import { type OaiArguments, readDateRange } from './oai-arguments.js'
import {
  deletedRecordElement,
  formatElement,
  headerElement,
  identifyElement,
  idIn,
  recordEnvelope,
  setElement,
  tokenElement,
} from './oai-xml.js'

/** What the content of an answer is made with. */
export interface OaiAnswerParts {
  readonly options: OaiOptions
  readonly harvesting: Harvesting
  readonly caller: Principal
  /** Who reads what is public. */
  readonly publicCaller: Principal
  readonly exports: Exports
  readonly urls: PageUrls
  readonly baseUrl: string
  /** Name of the program, for a repository without a name. */
  readonly program: string
  /** Reserves memory for text of so many characters until the answer is sent. @throws ProblemError `unavailable` */
  reserve(characters: number): void
}

export function answerPartsOf(
  ctx: Context,
  { services, callerOf, publicCaller, basesOf, mount, responseMemory, build }: UnversionedContext,
  options: OaiOptions,
): OaiAnswerParts {
  const urls = addressesOf(basesOf(ctx).canonical, mount, 1)
  const take = responseMemory.enter(ctx)
  let reserved = 0
  return {
    options,
    harvesting: services.harvesting,
    exports: services.exports,
    caller: callerOf(ctx),
    publicCaller,
    urls,
    baseUrl: `${urls.root}/oaipmh`,
    program: build.name,
    reserve(characters) {
      if (characters <= Math.max(reserved, smallText)) return
      take(characters - reserved)
      reserved = characters
    },
  }
}

/** Characters of an answer that connections are bounded in number for already. */
const smallText = 64 * 1024
/** Items that are read at once. */
const itemsAtOnce = 20
/** Characters of items after which a part ends. */
const longestPart = 4 * 2 ** 20
/** Fewest items of a part that is not the last one: a widespread client cannot read a part of a single item. */
const fewestItems = 2

/**
 * The content of an answer, in pieces.
 * @throws HarvestError, HarvestErrors; ProblemError
 */
export async function* contentOf(
  parts: OaiAnswerParts,
  { verb, given }: OaiArguments,
): AsyncGenerator<string, void> {
  const { options, harvesting, caller } = parts
  switch (verb) {
    case 'Identify': {
      const { name } = await parts.exports.about()
      const earliest = await harvesting.earliestTime(caller)
      yield identifyElement(options, { name: name ?? parts.program, baseUrl: parts.baseUrl, earliest })
      return
    }
    case 'ListMetadataFormats':
      return yield* within('ListMetadataFormats', formatsOf(parts, given.get('identifier')))
    case 'ListSets':
      if (!options.hasSets) throw withoutSets()
      if (given.has('resumptionToken'))
        throw new HarvestError(
          'badResumptionToken',
          'The list of sets has a single part. Ask without a token.',
        )
      return yield* within('ListSets', setsOf(parts))
    case 'GetRecord': {
      const id = idIn(options, given.get('identifier') ?? '')
      const prefix = given.get('metadataPrefix') ?? ''
      const item = await harvesting.item(caller, id, prefix)
      const { length, pieces } = await preparedItem(parts, item, prefix)
      parts.reserve(2 * length)
      yield* within('GetRecord', inTurns(pieces))
      return
    }
    default:
      return yield* within(verb, partItems(parts, await partOf(parts, { verb, given })))
  }
}

async function* within(name: string, pieces: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let isFirst = true
  for await (const piece of pieces) {
    yield isFirst ? `<${name}>${piece}` : piece
    isFirst = false
  }
  yield `</${name}>`
}

async function* inTurns(pieces: Iterable<string>): AsyncGenerator<string, void> {
  const pauses = openEventLoopPauses()
  for (const piece of pieces) {
    await pauses.ifDue()
    yield piece
  }
}

function withoutSets(): HarvestError {
  return new HarvestError('noSetHierarchy', 'This repository has no sets.')
}

async function partOf(parts: OaiAnswerParts, { verb, given }: OaiArguments): Promise<HarvestPart> {
  const { harvesting, caller, options } = parts
  if (verb !== 'ListRecords' && verb !== 'ListIdentifiers') throw new Error(`${verb} has no parts.`)
  const token = given.get('resumptionToken')
  const prefix = given.get('metadataPrefix')
  if (token !== undefined) return await harvesting.resume(caller, verb, token, prefix, options.page)
  const range = readDateRange(given.get('from'), given.get('until'))
  const set = given.get('set')
  if (set !== undefined && !options.hasSets) throw withoutSets()
  const request = { verb, prefix: prefix ?? '', ...(set !== undefined && { set }), ...range }
  return await harvesting.begin(caller, request, options.page)
}

/** The items of a part, and the token. A part also ends at a number of bytes, or where memory is used up. */
async function* partItems(parts: OaiAnswerParts, part: HarvestPart): AsyncGenerator<string, void> {
  const { verb, prefix } = part.request
  const pauses = openEventLoopPauses()
  let taken = 0
  let length = 0
  let piece = ''
  while (taken < part.items) {
    const items = part.read(taken, Math.min(part.items, taken + itemsAtOnce))
    for (const item of items) {
      await pauses.ifDue()
      const prepared =
        verb === 'ListIdentifiers'
          ? preparedText(headerElement(parts.options, item))
          : await preparedItem(parts, item, prefix)
      if (!canReserve(parts, piece.length + 2 * prepared.length, taken >= fewestItems)) return yield end()
      length += prepared.length
      taken += 1
      for (const text of prepared.pieces) {
        piece += text
        if (piece.length <= smallText) continue
        yield piece
        piece = ''
        await pauses.ifDue()
      }
      if (length > longestPart && taken >= fewestItems && part.items - taken > 1) return yield end()
    }
  }
  yield end()

  function end(): string {
    const token = part.tokenAfter(taken)
    if (token === undefined && !part.isContinued) return piece
    // A widespread client stops at this size. A record that became visible meanwhile is not in the total.
    const least = part.cursor + taken + (token === undefined ? 0 : 1)
    return piece + tokenElement(part.cursor, Math.max(part.total, least), token)
  }
}

/** @param mayEnd the part may end here, in place of a refusal */
function canReserve(parts: OaiAnswerParts, characters: number, mayEnd: boolean): boolean {
  try {
    parts.reserve(characters)
    return true
  } catch (error) {
    if (mayEnd && error instanceof ProblemError && error.kind === 'unavailable') return false
    throw error
  }
}

/** An item of an answer, before it is sent. */
interface PreparedItem {
  /** Characters, roughly. */
  readonly length: number
  readonly pieces: Iterable<string>
}

function preparedText(text: string): PreparedItem {
  return { length: text.length, pieces: [text] }
}

async function preparedItem(parts: OaiAnswerParts, item: HarvestItem, prefix: string): Promise<PreparedItem> {
  const header = headerElement(parts.options, item)
  const { revision } = item
  if (!revision) return preparedText(deletedRecordElement(header))
  const { start, end } = recordEnvelope(header)
  const rendering = renderingOf(prefix, revision.record.schema?.schemaId, revision.documentType)
  if (rendering !== 'document')
    return preparedText(start + (await exportOf(parts, revision, builtInFormats[rendering])) + end)
  const { length, pieces } = await parts.harvesting.embedded(revision)
  function* all(): Generator<string, void> {
    yield start
    yield* pieces()
    yield end
  }
  return { length: start.length + length + end.length, pieces: all() }
}

/** The exports that the built-in formats are. */
const builtInFormats = { oai_dc: 'oai_dc', datacite: 'datacite-xml' } as const

/** The root element of an export in XML. A thread writes those of long records. */
async function exportOf(
  { caller, publicCaller, urls, exports }: OaiAnswerParts,
  revision: Revision,
  format: (typeof builtInFormats)[BuiltInPrefix],
): Promise<string> {
  const internal = await exports.internalRecords(caller, revision)
  const pages = [...internal].map(([name, { kind, id }]) => [name, urls.page(kind, id)] as const)
  const record = exportInput(revision, {
    urls: { page: urls.page, document: urls.download },
    isPinned: false,
    isPublic: isReadable(publicCaller, revision.record),
    internalPages: new Map(pages),
  })
  const text = await exports.write({ write: format, record }, caller.client)
  return text.replace(/^<\?xml [^>]*\?>\n/, '').trimEnd()
}

async function* formatsOf(
  parts: OaiAnswerParts,
  identifier: string | undefined,
): AsyncGenerator<string, void> {
  const { harvesting, caller, options } = parts
  const builtIn =
    formatElement('oai_dc', oaiDcSchemaUrl, oaiDcNamespace) +
    formatElement('datacite', dataCiteSchemaUrl, dataCiteNamespace)
  if (identifier !== undefined) {
    const prefixes = await harvesting.prefixesOf(caller, idIn(options, identifier))
    const schemas = prefixes
      .filter(prefix => !isBuiltIn(prefix))
      .flatMap(id => harvesting.schema(caller, id) ?? [])
    const own = await Promise.all(schemas.map(schema => formatOfSchema(parts, schema)))
    yield builtIn + own.join('')
    return
  }
  yield builtIn
  const pauses = openEventLoopPauses()
  for await (const schema of harvesting.schemas(caller, true)) {
    await pauses.ifDue()
    if (!isBuiltIn(schema.id)) yield await formatOfSchema(parts, schema)
  }
}

async function formatOfSchema({ harvesting, urls }: OaiAnswerParts, schema: Revision): Promise<string> {
  const url = recordUrl(urls.api, 'schema', schema.id, schema.version)
  return formatElement(schema.id, url, await harvesting.namespaceOf(schema))
}

async function* setsOf({ harvesting, caller }: OaiAnswerParts): AsyncGenerator<string, void> {
  yield fixedSets.map(setElement).join('')
  const pauses = openEventLoopPauses()
  for await (const { id, record } of harvesting.schemas(caller, false)) {
    await pauses.ifDue()
    yield setElement(schemaSet(id, titleOf(record)))
  }
}
