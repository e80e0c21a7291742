import { escapeXml, type XmlAttributes, xmlElement } from '../../../core/text/xml-text.js'
import type { HarvestItem } from '../lists/harvest.js'
import type { HarvestError } from '../lists/harvest-error.js'
import { type HarvestSet, setSpecsOf } from '../lists/harvest-sets.js'
import type { OaiOptions } from './oai-options.js'

/*
 * The XML elements of OAI-PMH answers.
 * @see http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd
 */

const namespace = 'http://www.openarchives.org/OAI/2.0/'
const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance'

const rootAttributes: XmlAttributes = {
  xmlns: namespace,
  'xmlns:xsi': schemaInstance,
  'xsi:schemaLocation': `${namespace} ${namespace}OAI-PMH.xsd`,
}

export interface Envelope {
  readonly start: string
  readonly end: string
}

/**
 * The beginning and the end of an answer, around its content.
 * @param time in milliseconds
 * @param given arguments of the request; empty for `badVerb` and `badArgument`
 */
export function envelope(baseUrl: string, time: number, given: XmlAttributes): Envelope {
  const root = xmlElement('OAI-PMH', rootAttributes, '')
  const end = '</OAI-PMH>'
  const date = textElement('responseDate', datestamp(time))
  const request = xmlElement('request', given, escapeXml(baseUrl))
  return {
    start: `<?xml version="1.0" encoding="UTF-8"?>\n${root.slice(0, -end.length)}${date}${request}`,
    end: `${end}\n`,
  }
}

/** A time in the form of OAI-PMH, such as `2026-11-21T05:12:00Z`, rounded down. @param time in milliseconds */
export function datestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

function textElement(name: string, text: string): string {
  return xmlElement(name, {}, escapeXml(text))
}

export function errorElement({ code, message }: HarvestError): string {
  return xmlElement('error', { code }, escapeXml(message))
}

export function identifierOf({ namespace: domain }: OaiOptions, id: string): string {
  return domain === undefined ? id : `oai:${domain}:${id}`
}

/** The id in an OAI identifier. An id alone is accepted as an identifier too. */
export function idIn({ namespace: domain }: OaiOptions, identifier: string): string {
  const prefix = domain === undefined ? undefined : `oai:${domain}:`
  return prefix !== undefined && identifier.startsWith(prefix) ? identifier.slice(prefix.length) : identifier
}

export function headerElement(options: OaiOptions, { id, time, placement, revision }: HarvestItem): string {
  const sets = options.hasSets ? setSpecsOf(placement).map(spec => textElement('setSpec', spec)) : []
  return xmlElement(
    'header',
    { status: revision ? undefined : 'deleted' },
    textElement('identifier', identifierOf(options, id)) +
      textElement('datestamp', datestamp(time)) +
      sets.join(''),
  )
}

/** The beginning and the end of an item, around its metadata. */
export function recordEnvelope(header: string): Envelope {
  return { start: `<record>${header}<metadata>`, end: '</metadata></record>' }
}

/** The element `record` of a record that is deleted, or whose document is missing or damaged. */
export function recordWithoutMetadata(header: string): string {
  return xmlElement('record', {}, header)
}

export function formatElement(prefix: string, schemaUrl: string, namespaceUri: string): string {
  return xmlElement(
    'metadataFormat',
    {},
    textElement('metadataPrefix', prefix) +
      textElement('schema', schemaUrl) +
      textElement('metadataNamespace', namespaceUri),
  )
}

export function setElement({ spec, name }: HarvestSet): string {
  return xmlElement('set', {}, textElement('setSpec', spec) + textElement('setName', name))
}

/**
 * The element `resumptionToken` at the end of a part of a list.
 * @param cursor number of entries in the parts before
 * @param total number of entries in the list
 * @param token of the next part; undefined at the end of a list that had several parts
 */
export function tokenElement(cursor: number, total: number, token: string | undefined): string {
  const attributes = { completeListSize: String(total), cursor: String(cursor) }
  return xmlElement('resumptionToken', attributes, token)
}

export interface RepositoryDescription {
  readonly name: string
  readonly baseUrl: string
  /** The earliest datestamp, in milliseconds since 1970. */
  readonly earliest: number
}

export function identifyElement(
  options: OaiOptions,
  { name, baseUrl, earliest }: RepositoryDescription,
): string {
  const { admin, namespace: domain } = options
  const description = domain === undefined ? '' : xmlElement('description', {}, identifierDescription(domain))
  return xmlElement(
    'Identify',
    {},
    textElement('repositoryName', name) +
      textElement('baseURL', baseUrl) +
      textElement('protocolVersion', '2.0') +
      textElement('adminEmail', admin) +
      textElement('earliestDatestamp', datestamp(earliest)) +
      textElement('deletedRecord', 'persistent') +
      textElement('granularity', 'YYYY-MM-DDThh:mm:ssZ') +
      textElement('compression', 'gzip') +
      description,
  )
}

/** The form of identifiers. @see http://www.openarchives.org/OAI/2.0/guidelines-oai-identifier.htm */
function identifierDescription(domain: string): string {
  const own = `${namespace}oai-identifier`
  return xmlElement(
    'oai-identifier',
    { xmlns: own, 'xmlns:xsi': schemaInstance, 'xsi:schemaLocation': `${own} ${own}.xsd` },
    textElement('scheme', 'oai') +
      textElement('repositoryIdentifier', domain) +
      textElement('delimiter', ':') +
      textElement('sampleIdentifier', `oai:${domain}:overview-7`),
  )
}
