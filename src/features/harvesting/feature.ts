import { number, type OptionValues, text } from '../../cli/arguments/option-table.js'
import { requireWholeNumber } from '../../cli/arguments/whole-number.js'
import { UsageError } from '../../cli/command-context.js'
import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import type { HarvestingState, OaiOptions } from './answers/oai-options.js'

const group = 'Harvesting:'
const sets = ['all', 'none'] as const

const options = {
  'oai-admin': {
    ...text,
    group,
    describe: 'E-mail address that OAI-PMH shows to harvesters; without it /oaipmh answers 404',
  },
  'oai-namespace': {
    ...text,
    group,
    describe: 'Domain name in OAI identifiers, oai:<namespace>:<id>',
    defaultDescription: 'none; an identifier is the id',
  },
  'oai-page': {
    ...number,
    group,
    default: 100,
    describe: 'Records in one answer to a harvester; an answer also ends at 4 MiB',
  },
  'oai-sets': {
    choices: sets,
    requiresArg: true,
    group,
    default: 'all' as (typeof sets)[number],
    describe: 'Sets by schema, document type and resource type, or none',
  },
} as const

/** The tables of stored sets. Times are milliseconds; `age` is a negated time. */
const tables = `
-- Sets of metadata that stored searches define. number: of the set as it is defined. definition: what decides which states
-- are in it. through: the last revision that was compared with it. done: the next revision changes a crosswalk, and the
-- documents of the schema were compared again up to this record. spec: null for rows that are to be deleted.
CREATE TABLE IF NOT EXISTS stored_set (
  number INTEGER PRIMARY KEY, spec TEXT UNIQUE, definition TEXT NOT NULL, through INTEGER NOT NULL, done INTEGER NOT NULL);
-- Records in stored sets. first, until: the first revision with which the record is in the set, and the next one with which
-- it is not. They are revisions of the record, or of its schema with another crosswalk.
CREATE TABLE IF NOT EXISTS membership (
  rid INTEGER, number INTEGER, first INTEGER, until INTEGER, PRIMARY KEY (rid, number, first)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS membership_by_set ON membership (number, until, rid);
-- As withdrawn, for the states that were in a stored set. The record may have left that set alone.
CREATE TABLE IF NOT EXISTS departure (
  number INTEGER, rid INTEGER, rev INTEGER, age INTEGER NOT NULL, id TEXT NOT NULL, schema TEXT NOT NULL,
  type TEXT NOT NULL, audience INTEGER NOT NULL, PRIMARY KEY (number, rid, rev)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS departure_by_age ON departure (number, age, id);
CREATE INDEX IF NOT EXISTS departure_by_rev ON departure (rev);
-- Records that came into a stored set with another crosswalk of their schema. rev, age: of that revision of the schema.
CREATE TABLE IF NOT EXISTS arrival (
  number INTEGER, rid INTEGER, rev INTEGER, age INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY (number, rid, rev)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS arrival_by_age ON arrival (number, age, id);
CREATE INDEX IF NOT EXISTS arrival_by_rev ON arrival (rev);
`

/** Limit of the value of `--oai-page`, the number of records in one answer. */
const maxItems = 2000

/** OAI-PMH 2.0, for harvesters of metadata. @see docs/use/harvesting.md */
export const harvesting = defineFeature({
  name: 'harvesting',
  needs: ['exports'],
  options,
  tables,
  validate({ oaiAdmin, oaiNamespace, oaiPage }) {
    if (oaiAdmin !== undefined && !/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(oaiAdmin))
      throw new UsageError(`--oai-admin "${oaiAdmin}" is no e-mail address: write it as admin@example.org.`)
    if (oaiNamespace !== undefined && !/^[a-z][a-z\d-]*(?:\.[a-z][a-z\d-]*)+$/i.test(oaiNamespace)) {
      throw new UsageError(
        `--oai-namespace "${oaiNamespace}" is no domain name: write it as example.org. Each part begins with a letter.`,
      )
    }
    if (oaiNamespace !== undefined && oaiAdmin === undefined)
      throw new UsageError('--oai-namespace needs --oai-admin, which switches harvesting on.')
    requireWholeNumber('oai-page', oaiPage, 2, maxItems)
  },
  async loadRoutes() {
    const { oaiPmhRoutes } = await import('./answers/oai-pmh-routes.js')
    return {
      routes: oaiPmhRoutes,
      tags: [{ name: 'Harvesting', description: 'OAI-PMH 2.0, for harvesters of metadata.' }],
    }
  },
  async open(parts, values) {
    const { openHarvestingFeature } = await import('./open-harvesting.js')
    return openHarvestingFeature(parts, settingsOf(values))
  },
})

/** The lists for harvesters, for features that need them. */
export function harvestingOf(parts: Pick<CoreParts, 'stateOf'>): HarvestingState {
  return parts.stateOf('harvesting') as HarvestingState
}

/** The settings of `/oaipmh`; undefined without the address of an administrator. */
function settingsOf(values: OptionValues<typeof options>): OaiOptions | undefined {
  const { oaiAdmin: admin, oaiNamespace: namespace, oaiPage: page, oaiSets } = values
  if (admin === undefined) return undefined
  return { admin, ...(namespace !== undefined && { namespace }), page, hasSets: oaiSets !== 'none' }
}
