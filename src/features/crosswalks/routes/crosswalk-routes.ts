import { parseJsonPart } from '../../../http/forms/json-part.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { after, formatCursor, limitParameter } from '../../../http/parameters/page-parameters.js'
import { metadataId, schemaId } from '../../../http/parameters/record-parameters.js'
import { version } from '../../../http/parameters/version-parameters.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { readRequestedRevision } from '../../../http/request/read-requested.js'
import { answerRevalidated, sendJson, sendLong } from '../../../http/response/send-body.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { crosswalkToTry } from '../../../http/route-declaration/request-form.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { findWritable } from '../../../service/access/find-record.js'
import { describeSources } from '../../exports/export-job.js'
import { digestOf } from '../../exports/routes/answer-export.js'
import { contextOf, inputOf } from '../../exports/routes/described-record.js'
import { addressesOfRequest } from '../../exports/routes/record-export-routes.js'
import type { CrosswalksState } from '../open-crosswalks.js'
import { tryCrosswalk } from '../trial.js'

const route = routesWith<FeatureApiContext<CrosswalksState>>()

/** Descriptions of documents, and the trial of a crosswalk. @see docs/use/crosswalks.md */
export function crosswalkRoutes(
  api: DescribedApiVersion,
): readonly Route<FeatureApiContext<CrosswalksState>>[] {
  return [descriptionRoute(api), trialRoute(api)]
}

function descriptionRoute(api: DescribedApiVersion): Route<FeatureApiContext<CrosswalksState>> {
  return route({
    method: 'get',
    path: '/metadata/{id}/description',
    ...operationIn(api, 'metadata', 'descriptionOfMetadata'),
    summary: 'Read what is known of a record and where it comes from',
    description:
      'DataCite JSON of the record and of what its document says about itself. `sources` has the source of each value ' +
      'by JSON Pointer: the record, a place in the document, or a constant of the schema. Values that stand for missing ' +
      'ones have no source.',
    answers: 'json',
    access: 'READ',
    parameters: { id: metadataId, version, at, ...readConditions },
    schemas: descriptionSchemas,
    responses: {
      200: {
        description: 'The description.',
        headers: { ETag: headerRef('ExportTag'), 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(['application/json'], schemaRef('SourcedDescription'), { one: describedExample }),
      },
      304: {
        description: 'The client has this state already: `If-None-Match` has its ETag.',
        headers: { ETag: headerRef('ExportTag'), 'Cache-Control': headerRef('CacheControl') },
      },
    },
    problems: {
      'not-found': 'There is no such record or version, or the caller may not see it.',
      'not-acceptable': true,
    },
    async handle(ctx, context, { id, version: number, at: point }) {
      const revision = await readRequestedRevision(ctx, context, 'metadata', id, {
        version: number,
        at: point,
      })
      const addresses = addressesOfRequest(context, context.basesOf(ctx).canonical, revision.unserved?.point)
      const named = { revision, addresses, isPinned: number !== undefined || point !== undefined }
      const input = await inputOf(context, named, await contextOf(ctx, context, named))
      const { document, sources } = describeSources(input)
      const text = JSON.stringify({ ...document, sources })
      const tag = [revision.commit, 'description', ...digestOf([text])].join('-')
      if (answerRevalidated(ctx, `"${tag}"`)) return
      sendLong(ctx, context.responseMemory, text, 'application/json')
    },
  })
}

/** Bounds of the parameter `limit`, in documents that a trial reads. */
const trialLimits = { min: 1, usual: 100, max: 1000 }

function trialRoute(api: DescribedApiVersion): Route<FeatureApiContext<CrosswalksState>> {
  return route({
    method: 'post',
    path: '/schemas/{id}/crosswalk',
    ...operationIn(api, 'schema', 'tryCrosswalkOfSchema'),
    summary: 'Try a crosswalk before it is stored',
    description:
      'Describes a document, or the newest documents of the schema that the caller may read, with a crosswalk, and ' +
      'stores nothing. It says what is wrong in the crosswalk, which documents give no title, creator or year, and for ' +
      'which of its properties no document has a value. The first 20 documents come with the beginning of their ' +
      'descriptions. `next` is the parameter `after` of the request for the following documents; a trial also ends ' +
      'after ten seconds.',
    access: 'WRITE',
    parameters: {
      id: schemaId,
      limit: limitParameter(
        'limit',
        `Stored documents to describe. More than ${trialLimits.max} count as ${trialLimits.max}.`,
        trialLimits,
      ),
      after,
    },
    form: crosswalkToTry,
    responses: {
      200: {
        description: 'What comes out.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(['application/json'], schemaRef('CrosswalkTrial'), { one: trialExample }),
      },
    },
    schemas: trialSchemas,
    problems: {
      unauthenticated: true,
      forbidden: true,
      'not-found': 'There is no such schema, or it is REVOKED and the caller may not read it.',
      'too-large': true,
      'unsupported-media-type': 'The body is not `multipart/form-data`.',
    },
    async handle(ctx, context, { id, limit, after: place }, readForm) {
      const { feature, limits } = context
      const caller = context.callerOf(ctx)
      const { readCommitted } = feature
      const schema = await readCommitted(state => findWritable(state, caller, 'schema', id))
      const { crosswalk, document } = await readForm()
      const trial = await tryCrosswalk(feature.descriptions, feature.bundleOf, caller, schema, {
        ...(crosswalk && { crosswalk: parseJsonPart(crosswalk, limits) }),
        ...(document && { document }),
        limit,
        after: place,
      })
      const { faults, checked, more, next, ...others } = trial
      ctx.set('Cache-Control', 'no-store')
      sendJson(
        ctx,
        { faults, checked, more, ...(next && { next: formatCursor(next) }), ...others },
        'application/json',
      )
    },
  })
}

const pointer = (description: string): Schema => ({ type: 'string', format: 'json-pointer', description })
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

const descriptionSchemas: Readonly<Record<string, Schema>> = {
  SourcedDescription: {
    type: 'object',
    description: 'A record of DataCite 4.6 as JSON, with `sources`.',
    properties: {
      sources: {
        type: 'object',
        description: 'The source of each value, by JSON Pointer.',
        additionalProperties: closedObject(
          {
            from: { type: 'string', enum: ['record', 'document', 'schema'] },
            path: { type: 'string', description: 'The place in the document.' },
          },
          ['from'],
        ),
      },
    },
    required: ['sources'],
  },
}

const triedMembers: Readonly<Record<string, Schema>> = {
  id: schemaRef('Id'),
  version: schemaRef('Version'),
  without: listOf({ type: 'string', enum: ['titles', 'creators', 'publicationYear'] }),
}

const trialSchemas: Readonly<Record<string, Schema>> = {
  CrosswalkTrial: closedObject(
    {
      faults: listOf(
        closedObject({ pointer: pointer('The place in the crosswalk.'), message: { type: 'string' } }),
        {
          description: 'What is wrong in the crosswalk. Such rules are left out.',
        },
      ),
      checked: count('Documents that were looked at.'),
      more: { type: 'boolean', description: 'The schema has more documents.' },
      next: { type: 'string', description: 'Cursor of the last document, if there are more.' },
      notRead: listOf(
        closedObject(
          {
            ...{ id: schemaRef('Id'), version: schemaRef('Version') },
            because: { type: 'string', description: 'Why, such as `larger than 4194304 bytes`.' },
          },
          ['id', 'version', 'because'],
        ),
        {
          description: 'Documents that were not read. `without`, `empty` and `incomplete` do not count them.',
        },
      ),
      without: closedObject({
        titles: count('Documents without a title.'),
        creators: count('Documents without a creator.'),
        publicationYear: count('Documents without a year, and without a date that gives one.'),
      }),
      empty: listOf(
        { type: 'string' },
        {
          description: 'Properties of the crosswalk for which no document has a value.',
        },
      ),
      incomplete: listOf(closedObject(triedMembers, ['without']), {
        description: 'The documents without a title, a creator or a year.',
      }),
      documents: listOf(
        closedObject(
          {
            ...triedMembers,
            description: {
              type: 'object',
              description:
                'The first values of each property with their places in the document. Long texts are cut.',
            },
          },
          ['without', 'description'],
        ),
        { description: 'The first 20 documents.' },
      ),
    },
    ['faults', 'checked', 'more', 'notRead', 'without', 'empty', 'incomplete', 'documents'],
  ),
}

const describedExample = {
  titles: [{ title: 'Overview image 7' }],
  sources: { '/titles/0': { from: 'document', path: 'title' } },
}

const trialExample = {
  faults: [],
  checked: 1,
  more: false,
  notRead: [],
  without: { titles: 0, creators: 1, publicationYear: 0 },
  empty: ['creators'],
  incomplete: [{ id: 'overview-7', version: 1, without: ['creators'] }],
  documents: [
    {
      id: 'overview-7',
      version: 1,
      without: ['creators'],
      description: { titles: [{ value: { title: 'Overview image 7' }, path: 'title' }] },
    },
  ],
}
