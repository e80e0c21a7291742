import type { Context } from 'koa'
import { ProblemError, unlessDamaged } from '../../../core/problem.js'
import { titleOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { addressesOf } from '../../../http/page-urls/page-urls.js'
import { schemaFolderUrl } from '../../../http/record-formats/record-urls.js'
import type { Services } from '../../../service/services.js'
import { dataCiteNamespace, dataCiteSchemaUrl } from '../../exports/datacite/datacite-xml.js'
import { oaiDcNamespace, oaiDcSchemaUrl } from '../../exports/formats/dublin-core.js'
import type { HarvestItem, HarvestPart } from '../lists/harvest.js'
import { HarvestError } from '../lists/harvest-error.js'
import { isBuiltIn } from '../lists/harvest-formats.js'
import { fixedSets, schemaSet } from '../lists/harvest-sets.js'
import { harvesterOf } from '../lists/harvester-access.js'
import { type OaiArguments, readDateRange } from './oai-arguments.js'
import {
  type DescribedItem,
  describedItems,
  headerAlone,
  type OaiItemContext,
  type PreparedItem,
  preparedHeader,
  preparedRecord,
} from './oai-items.js'
import type { HarvestingContext, OaiOptions } from './oai-options.js'
import { formatElement, identifyElement, idIn, setElement, tokenElement } from './oai-xml.js'

/** What is needed to write the content of an answer. */
export interface OaiAnswerParts extends OaiItemContext {
  readonly baseUrl: string
  /** Name of the program. It stands for the name of a repository that has none. */
  readonly program: string
  /** Writes a message for the operator of the server. */
  readonly note: (line: string) => void
  /** Reserves memory for a text of this length until the answer is sent. @throws ProblemError `unavailable` */
  reserve(characters: number): void
  about: Services['about']
}

export function answerPartsOf(ctx: Context, context: HarvestingContext, options: OaiOptions): OaiAnswerParts {
  const { feature, services, callerOf, publicCaller, basesOf, mount, responseMemory, build, note } = context
  const urls = addressesOf(basesOf(ctx).canonical, mount, 1)
  const take = responseMemory.enter(ctx)
  let reserved = 0
  return {
    options,
    harvesting: feature.harvesting,
    exports: feature.exports,
    about: services.about,
    blobSize: services.blobSize,
    caller: harvesterOf(callerOf(ctx)),
    publicCaller,
    urls,
    baseUrl: `${urls.root}/oaipmh`,
    program: build.name,
    note,
    reserve(characters) {
      if (characters <= Math.max(reserved, maxUnreservedLength)) return
      take(characters - reserved)
      reserved = characters
    },
  }
}

/** Limit of the characters of an answer that reserves no memory, because the number of connections is limited. */
const maxUnreservedLength = 64 * 1024
/** Number of items that are read at once. */
const itemsAtOnce = 20
/** Characters of items after which a part of a list ends. */
const maxPartLength = 4 * 2 ** 20
/** Least items of a part that is not the last one: a common client cannot read a part with a single item. */
const minItems = 2

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
      const { name } = await parts.about()
      const earliest = await harvesting.earliestTime(caller)
      yield identifyElement(options, { name: name ?? parts.program, baseUrl: parts.baseUrl, earliest })
      return
    }
    case 'ListMetadataFormats':
      return yield* inElement('ListMetadataFormats', formatsOf(parts, given.get('identifier')))
    case 'ListSets':
      if (!options.hasSets) throw withoutSets()
      if (given.has('resumptionToken'))
        throw new HarvestError(
          'badResumptionToken',
          'The list of sets has a single part. Ask without a token.',
        )
      return yield* inElement('ListSets', setsOf(parts))
    case 'GetRecord': {
      const id = idIn(options, given.get('identifier') ?? '')
      const prefix = given.get('metadataPrefix') ?? ''
      const item = await harvesting.item(caller, id, prefix)
      const { value: described } = await describedItems(parts, [item], prefix).next()
      const { length, pieces } = await preparedRecord(parts, described ?? { item }, prefix)
      parts.reserve(2 * length)
      yield* inElement('GetRecord', withPauses(pieces))
      return
    }
    default:
      return yield* inElement(verb, partItems(parts, await partOf(parts, verb, given)))
  }
}

async function* inElement(name: string, pieces: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  let isFirst = true
  for await (const piece of pieces) {
    yield isFirst ? `<${name}>${piece}` : piece
    isFirst = false
  }
  yield `</${name}>`
}

async function* withPauses(pieces: Iterable<string>): AsyncGenerator<string, void> {
  const pauses = openEventLoopPauses()
  for (const piece of pieces) {
    await pauses.ifDue()
    yield piece
  }
}

function withoutSets(): HarvestError {
  return new HarvestError('noSetHierarchy', 'This repository has no sets.')
}

async function partOf(
  { harvesting, caller, options }: OaiAnswerParts,
  verb: 'ListRecords' | 'ListIdentifiers',
  given: OaiArguments['given'],
): Promise<HarvestPart> {
  const token = given.get('resumptionToken')
  const prefix = given.get('metadataPrefix')
  if (token !== undefined) return await harvesting.resume(caller, verb, token, prefix, options.page)
  const range = readDateRange(given.get('from'), given.get('until'))
  const set = given.get('set')
  if (set !== undefined && !options.hasSets) throw withoutSets()
  const request = { verb, prefix: prefix ?? '', ...(set !== undefined && { set }), ...range }
  return await harvesting.begin(caller, request, options.page)
}

/**
 * The items of a part of a list, and the resumption token. The part ends early if it is long, or if memory or a place
 * in a queue is refused for the next item. Nothing is sent before {@link minItems} items are prepared, so that a
 * refusal for one of these can still be the answer. Items with a missing or damaged document are left out. If this
 * leaves none, the last item is sent as a header alone, because the protocol has no empty list.
 */
async function* partItems(parts: OaiAnswerParts, part: HarvestPart): AsyncGenerator<string, void> {
  const pauses = openEventLoopPauses()
  const items = itemsOf(parts, part)
  let taken = 0
  let made = 0
  let length = 0
  let piece = ''
  const unsent: PreparedItem[] = []
  const mayEnd = () => made >= minItems
  for (;;) {
    await pauses.ifDue()
    const prepared = await unlessRefused(mayEnd(), async () => {
      const next = await items.next()
      if (next.done) return 'none'
      const isEmptyOtherwise = made === 0 && taken === part.items - 1
      const added =
        (await preparedItem(parts, part, next.value)) ??
        (isEmptyOtherwise && headerAlone(parts, next.value.item))
      if (!added) return 'lost'
      const waiting = unsent.reduce((sum, each) => sum + each.length, added.length)
      parts.reserve(piece.length + 2 * waiting)
      return added
    })
    if (!prepared || prepared === 'none') return yield end()
    taken += 1
    if (prepared !== 'lost') {
      unsent.push(prepared)
      length += prepared.length
      made += 1
    }
    if (!mayEnd() && taken < part.items) continue
    for (const { pieces } of unsent.splice(0)) {
      for (const text of pieces) {
        piece += text
        if (piece.length <= maxUnreservedLength) continue
        yield piece
        piece = ''
        await pauses.ifDue()
      }
    }
    if (length > maxPartLength && mayEnd() && part.items - taken > 1) return yield end()
  }

  function end(): string {
    const token = part.tokenAfter(taken)
    if (token === undefined && !part.isContinued) return piece
    // A common client stops at the total, which may be too low: it lacks records that became visible meanwhile.
    const minTotal = part.cursor + taken + (token === undefined ? 0 : 1)
    return piece + tokenElement(part.cursor, Math.max(part.total, minTotal), token)
  }
}

/** The items of a part of a list, with what their documents say if the list contains that. */
async function* itemsOf(
  parts: OaiAnswerParts,
  { request: { verb, prefix }, items, read }: HarvestPart,
): AsyncGenerator<DescribedItem, void> {
  function* all(): Generator<HarvestItem, void> {
    for (let from = 0; from < items; from += itemsAtOnce)
      yield* read(from, Math.min(items, from + itemsAtOnce))
  }
  if (verb === 'ListIdentifiers') for (const item of all()) yield { item }
  else yield* describedItems(parts, all(), prefix)
}

/** Prepares an item; undefined if its document is missing or damaged, which must not end the harvest of other items. */
async function preparedItem(
  parts: OaiAnswerParts,
  { request: { verb, prefix } }: HarvestPart,
  described: DescribedItem,
): Promise<PreparedItem | undefined> {
  const { item } = described
  if (verb === 'ListIdentifiers') return preparedHeader(parts.options, item)
  return await unlessDamaged(
    () => preparedRecord(parts, described, prefix),
    reason => parts.note(`A harvest in the format ${prefix} leaves out metadata ${item.id}: ${reason}`),
  )
}

/** Runs `work`. @returns undefined if it is refused and the part may end here @throws ProblemError */
async function unlessRefused<T>(mayEnd: boolean, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (mayEnd && error instanceof ProblemError && error.kind === 'unavailable') return undefined
    throw error
  }
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
    const own = prefixes.filter(prefix => !isBuiltIn(prefix))
    const schemas = await Promise.all(own.map(prefix => harvesting.format(caller, prefix)))
    const elements = await Promise.all(
      schemas.flatMap(schema => (schema ? [formatOfSchema(parts, schema)] : [])),
    )
    yield builtIn + elements.join('')
    return
  }
  yield builtIn
  const pauses = openEventLoopPauses()
  for await (const schema of harvesting.formats(caller)) {
    await pauses.ifDue()
    if (!isBuiltIn(schema.id)) yield await formatOfSchema(parts, schema)
  }
}

/** The `<metadataFormat>` of a schema. If its document is missing or damaged: `''`, and `note` gets the reason. */
async function formatOfSchema({ harvesting, urls, note }: OaiAnswerParts, schema: Revision): Promise<string> {
  const namespace = await unlessDamaged(
    () => harvesting.namespaceOf(schema),
    reason => note(`A list of formats leaves out schema ${schema.id}: ${reason}`),
  )
  if (namespace === undefined) return ''
  return formatElement(schema.id, schemaFolderUrl(urls.api, schema), namespace)
}

async function* setsOf({ harvesting, caller }: OaiAnswerParts): AsyncGenerator<string, void> {
  yield [...fixedSets, ...(await harvesting.storedSets())].map(setElement).join('')
  const pauses = openEventLoopPauses()
  for await (const { id, revision } of harvesting.schemasOfSets(caller)) {
    await pauses.ifDue()
    yield setElement(schemaSet(id, revision ? titleOf(revision.record) : id))
  }
}
