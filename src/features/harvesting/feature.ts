import { number, type OptionValues, text } from '../../cli/arguments/option-table.js'
import { requireWholeNumber } from '../../cli/arguments/whole-number.js'
import { UsageError } from '../../cli/command-context.js'
import type { CoreParts } from '../../compose/compose.js'
import { defineFeature } from '../../feature.js'
import type { HarvestingState, OaiOptions } from './answers/oai-options.js'
import { setTables } from './rows/set-tables.js'

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

/** Limit of the value of `--oai-page`, the number of records in one answer. */
const maxItems = 2000

/** OAI-PMH 2.0, for harvesters of metadata. @see docs/use/harvesting.md */
export const harvesting = defineFeature({
  name: 'harvesting',
  needs: ['exports'],
  options,
  tables: setTables,
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
