import type { OaiOptions } from '../../http/routes/oai-pmh/oai-options.js'
import { number, type OptionValues, text } from '../arguments/option-table.js'
import { requireWholeNumber } from '../arguments/whole-number.js'
import { UsageError } from '../command-context.js'

const group = 'Harvesting:'
const sets = ['all', 'none'] as const

/** The options of `serve` for harvesters. */
export const harvestingOptions = {
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

export type HarvestingOptions = Pick<
  OptionValues<typeof harvestingOptions>,
  'oaiAdmin' | 'oaiNamespace' | 'oaiPage' | 'oaiSets'
>

/** Limit of the value of `--oai-page`, the number of records in one answer. */
const maxItems = 2000

/** The settings of `/oaipmh`; undefined without the address of an administrator. */
export function oaiOptionsOf(options: HarvestingOptions): OaiOptions | undefined {
  const { oaiAdmin: admin, oaiNamespace: namespace, oaiPage: page, oaiSets } = options
  if (admin === undefined) return undefined
  return { admin, ...(namespace !== undefined && { namespace }), page, hasSets: oaiSets !== 'none' }
}

/**
 * Checks the options of OAI-PMH before the server starts.
 * @throws UsageError for values that the schemas of the protocol do not allow, and for a namespace without
 *   `--oai-admin`
 */
export function validateHarvestingOptions({ oaiAdmin, oaiNamespace, oaiPage }: HarvestingOptions): void {
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
}
