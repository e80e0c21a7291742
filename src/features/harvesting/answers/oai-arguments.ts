import { truncate } from '../../../core/value-types.js'
import { HarvestError, type HarvestErrorCode } from '../lists/harvest-error.js'

export const oaiVerbs = [
  'Identify',
  'ListMetadataFormats',
  'ListSets',
  'GetRecord',
  'ListIdentifiers',
  'ListRecords',
] as const

export type OaiVerb = (typeof oaiVerbs)[number]

type ArgumentName = 'identifier' | 'metadataPrefix' | 'from' | 'until' | 'set' | 'resumptionToken'

/** The checked arguments of a request, as the client wrote them. */
export interface OaiArguments {
  readonly verb: OaiVerb
  readonly given: ReadonlyMap<ArgumentName, string>
}

/** Several errors of one request. */
export class HarvestErrors extends Error {
  override readonly name = 'HarvestErrors'

  constructor(readonly errors: readonly HarvestError[]) {
    super(errors.map(({ message }) => message).join(' '))
  }
}

interface ArgumentRule {
  readonly required: readonly ArgumentName[]
  readonly optional: readonly ArgumentName[]
}

const list: ArgumentRule = {
  required: ['metadataPrefix'],
  optional: ['from', 'until', 'set', 'resumptionToken'],
}

/** Arguments of each verb. @see https://www.openarchives.org/OAI/openarchivesprotocol.html#ProtocolMessages */
const rules: Readonly<Record<OaiVerb, ArgumentRule>> = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListSets: { required: [], optional: ['resumptionToken'] },
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
  ListIdentifiers: list,
  ListRecords: list,
}

interface ArgumentForm {
  fits(text: string): boolean
  /** What is wrong with a text that does not fit, for messages. */
  readonly fault: string
}

const wrongCharacters = 'has characters that are not allowed in it'

/** Forms that arguments need as attributes of an answer. @see http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd */
const forms: Partial<Readonly<Record<ArgumentName, ArgumentForm>>> = {
  metadataPrefix: { fits: text => /^[A-Za-z0-9_.!~*'()-]+$/.test(text), fault: wrongCharacters },
  set: {
    fits: text => /^[A-Za-z0-9_.!~*'()-]+(?::[A-Za-z0-9_.!~*'()-]+)*$/.test(text),
    fault: wrongCharacters,
  },
  identifier: { fits: isUriReference, fault: 'is neither a URI nor an id' },
}

/** Whether it is a URI, or an id: one without a colon in its first segment. @see RFC 3986, sections 3.2 and 4.2 */
function isUriReference(text: string): boolean {
  if (!/^(?:[A-Za-z0-9_.!~*'();:,/?@&=+$-]|%[0-9A-Fa-f]{2})+$/.test(text)) return false
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0] ?? ''
  const rest = text.slice(scheme.length)
  const authority = /^\/\/([^/?]*)/.exec(rest)?.[1]
  // Validators of XML Schema refuse a port without digits, or with a number that is too large for an integer.
  if (authority !== undefined) return /^(?:[^@]*@)?[^@:]*(?::\d{1,5})?$/.test(authority)
  return scheme !== '' || !/^[^/?]*:/.test(rest)
}

/** Limit of the errors of one answer. */
const maxErrors = 10

/**
 * Reads the arguments of a request.
 * @throws HarvestErrors with `badVerb` or `badArgument`
 */
export function readOaiArguments(parameters: URLSearchParams): OaiArguments {
  const values = valuesByName(parameters)
  const verbs = values.get('verb') ?? []
  const verb = oaiVerbs.find(name => name === verbs[0])
  if (verb === undefined || verbs.length > 1) throw new HarvestErrors([badVerb(verbs)])
  const { required, optional } = rules[verb]
  const errors: HarvestError[] = []
  const note = (code: HarvestErrorCode, message: string) => {
    if (errors.length < maxErrors) errors.push(new HarvestError(code, message))
  }
  const given = new Map<ArgumentName, string>()
  values.delete('verb')
  for (const [name, [value = '', second]] of values) {
    const known = [...required, ...optional].find(each => each === name)
    if (known === undefined) note('badArgument', `${verb} has no argument "${truncate(name, 100)}".`)
    else if (second !== undefined) note('badArgument', `The argument ${name} is given twice.`)
    else given.set(known, value)
  }
  if (given.has('resumptionToken')) {
    // Scripts for the original server send the format too, because that server requires it.
    for (const name of given.keys())
      if (name !== 'resumptionToken' && name !== 'metadataPrefix')
        note('badArgument', `A resumptionToken continues a list with its arguments; leave ${name} out.`)
  } else {
    for (const name of required)
      if (!given.has(name)) note('badArgument', `${verb} needs the argument ${name}.`)
  }
  for (const [name, value] of given) {
    if (value === '') note('badArgument', `The argument ${name} is empty.`)
    else if (forms[name]?.fits(value) === false)
      note('badArgument', `The argument ${name} ${forms[name].fault}.`)
  }
  if (errors.length > 0) throw new HarvestErrors(errors)
  return { verb, given }
}

/** The values by name. One pass: a request can have thousands of names, and each look-up by name reads all of them. */
function valuesByName(parameters: URLSearchParams): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

function badVerb([verb, second]: readonly string[]): HarvestError {
  const known = `Write one of ${oaiVerbs.join(', ')}.`
  if (verb === undefined) return new HarvestError('badVerb', `The request has no verb. ${known}`)
  if (second !== undefined) return new HarvestError('badVerb', 'The request has more than one verb.')
  return new HarvestError('badVerb', `There is no verb "${truncate(verb, 100)}". ${known}`)
}

/** A range of times in milliseconds since 1970, ends included. */
export interface DateRange {
  readonly from?: number
  readonly until?: number
}

/**
 * Reads `from` and `until`, which are days or times in seconds. A day in `until` counts to its end.
 * @throws HarvestErrors with `badArgument`
 */
export function readDateRange(from: string | undefined, until: string | undefined): DateRange {
  const errors: HarvestError[] = []
  const read = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined
    const parsed = parseDatestamp(text)
    if (!parsed) {
      const forms = 'a day such as 2026-11-21 or a time such as 2026-11-21T05:12:00Z'
      errors.push(new HarvestError('badArgument', `The argument ${name} is not ${forms}.`))
    }
    return parsed
  }
  const start = read('from', from)
  const end = read('until', until)
  if (start && end && start.unit !== end.unit)
    errors.push(new HarvestError('badArgument', 'The arguments from and until have different granularities.'))
  else if (start && end && start.time > end.time)
    errors.push(new HarvestError('badArgument', 'The argument from is later than until.'))
  if (errors.length > 0) throw new HarvestErrors(errors)
  return {
    ...(start && { from: start.time }),
    // Datestamps are seconds, rounded down: the range includes the milliseconds of its last second.
    ...(end && { until: end.time + end.unit - 1 }),
  }
}

const units = { day: 86_400_000, second: 1000 } as const

function parseDatestamp(text: string): { readonly time: number; readonly unit: number } | undefined {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  if (!isDay && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return undefined
  const time = Date.parse(isDay ? `${text}T00:00:00Z` : text)
  // Date.parse reads 30 February as a day of March, and 24:00:00 as the next day.
  const isReal = Number.isFinite(time) && new Date(time).toISOString().startsWith(text.replace(/Z$/, ''))
  return isReal ? { time, unit: isDay ? units.day : units.second } : undefined
}
