import {
  type DataCiteContributor,
  type DataCiteDocument,
  type DataCiteName,
  type DataCiteSubject,
  type DataCiteTitle,
  unavailable,
} from '../../../core/records/datacite-document.js'
import { identifierIri } from '../../../core/text/iri.js'
import { agentAddress } from '../datacite/agent-addresses.js'
import { type DescribedRecord, subjectIri, summaryOf } from '../datacite/export-context.js'
import { isAccessRight, isOpenAccess } from '../datacite/rights.js'
import { languageIri } from './eu-vocabularies.js'
import type { RdfLiteral, RdfNode, RdfProperty } from './rdf.js'
import { spatialNodes } from './spatial.js'

/*
 * DCAT-AP: a record in the application profile of DCAT for data portals in Europe.
 * @see https://semiceu.github.io/DCAT-AP/releases/3.0.0/
 */

/** The record as a `dcat:Dataset`; a schema is a `dct:Standard`, too. */
export function dcatDataset(described: DescribedRecord): RdfNode {
  const { kind, document } = described
  return {
    iri: subjectIri(document),
    types: kind === 'schema' ? ['dcat:Dataset', 'dct:Standard'] : ['dcat:Dataset'],
    properties: [
      ...titles(document.titles),
      ...descriptions(described),
      ...identifiers(document),
      ...document.creators.map((creator): RdfProperty => ['dct:creator', agentNode(creator)]),
      ['dct:publisher', agentNode(document.publisher)],
      ...(document.contributors ?? []).map(contributorProperty),
      ...times(described),
      ...(document.subjects ?? []).flatMap(subjectProperty),
      ['dct:language', languageNode(document.language)],
      ['dct:accessRights', accessRights(document)],
      ...relations(document),
      ...spatialNodes(document).map((node): RdfProperty => ['dct:spatial', node]),
      ['dct:type', { types: ['skos:Concept'], properties: typeLabels(document) }],
      ['dcat:version', { text: document.version }],
      ['dcat:landingPage', { iri: document.url, types: ['foaf:Document'] }],
      ['dcat:distribution', distributionOf(described)],
    ],
  }
}

/** The document as a file to download, and its licence. */
function distributionOf({ document, documentHash, documentSize }: DescribedRecord): RdfNode {
  const [contentUrl] = document.contentUrl
  const [mediaType] = document.formats
  const schema = followedSchema(document)
  return {
    types: ['dcat:Distribution'],
    properties: [
      ['dcat:accessURL', { iri: document.url }],
      ['dcat:downloadURL', { iri: contentUrl }],
      [
        'dcat:mediaType',
        { iri: `http://www.iana.org/assignments/media-types/${mediaType}`, types: ['dct:MediaType'] },
      ],
      [
        'dcat:byteSize',
        documentSize === undefined ? undefined : { text: String(documentSize), type: 'xsd:decimal' },
      ],
      [
        'spdx:checksum',
        {
          types: ['spdx:Checksum'],
          properties: [
            [
              'spdx:algorithm',
              { iri: 'http://spdx.org/rdf/terms#checksumAlgorithm_sha1', types: ['spdx:ChecksumAlgorithm'] },
            ],
            ['spdx:checksumValue', { text: documentHash, type: 'xsd:hexBinary' }],
          ],
        },
      ],
      ['dct:license', licenceNode(document)],
      ['dct:conformsTo', schema ? standard(schema) : undefined],
    ],
  }
}

function literal({ title, lang }: DataCiteTitle): RdfLiteral {
  return { text: title, lang }
}

function titles([main, ...others]: DataCiteDocument['titles']): readonly RdfProperty[] {
  return [
    ['dct:title', literal(main)],
    ...others.map(
      (other): RdfProperty => [
        other.titleType === 'TranslatedTitle' ? 'dct:title' : 'dct:alternative',
        literal(other),
      ],
    ),
  ]
}

function descriptions(described: DescribedRecord): readonly RdfProperty[] {
  const { descriptions: stated } = described.document
  if (!stated) return [['dct:description', { text: summaryOf(described) }]]
  return stated.map(({ description, lang }) => ['dct:description', { text: description, lang }])
}

function identifiers(document: DataCiteDocument): readonly RdfProperty[] {
  return [
    ['dct:identifier', { text: subjectIri(document) }],
    ...document.alternateIdentifiers.map(
      ({ alternateIdentifier }): RdfProperty => [
        'adms:identifier',
        { types: ['adms:Identifier'], properties: [['skos:notation', { text: alternateIdentifier }]] },
      ],
    ),
  ]
}

function agentNode(agent: DataCiteName): RdfNode | undefined {
  if (agent.name === unavailable) return undefined
  const iri = agentAddress(agent)
  return {
    ...(iri !== undefined && { iri }),
    types: ['foaf:Agent'],
    properties: [['foaf:name', { text: agent.name }]],
  }
}

function contributorProperty(contributor: DataCiteContributor): RdfProperty {
  const { contributorType, name } = contributor
  return contributorType === 'ContactPerson'
    ? ['dcat:contactPoint', { types: ['vcard:Kind'], properties: [['vcard:fn', { text: name }]] }]
    : ['dct:contributor', agentNode(contributor)]
}

function times({ document, lastUpdate }: DescribedRecord): readonly RdfProperty[] {
  const issued = document.dates.find(({ dateType }) => dateType === 'Issued')?.date
  const created = document.dates.find(({ dateType }) => dateType === 'Created')?.date
  return [
    ['dct:issued', timeLiteral(issued) ?? { text: document.publicationYear, type: 'xsd:gYear' }],
    ['dct:created', timeLiteral(created)],
    ['dct:modified', { text: lastUpdate, type: 'xsd:dateTime' }],
  ]
}

const typesOfTimes = [
  [/^-?\d{4,6}$/, 'xsd:gYear'],
  [/^-?\d{4,6}-\d\d$/, 'xsd:gYearMonth'],
  [/^-?\d{4,6}-\d\d-\d\d$/, 'xsd:date'],
  [
    /^-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):\d\d|[+-]14:00)?$/,
    'xsd:dateTime',
  ],
] as const

/**
 * A date or time, or the beginning of a range of them, with its type. Of a time that XML Schema does not permit, such as
 * one without seconds, the day counts. Undefined for an open beginning.
 */
function timeLiteral(text = ''): RdfLiteral | undefined {
  const [start = ''] = text.split('/')
  const typed = [start, start.replace(/T.*/, '')].flatMap(each =>
    typesOfTimes.flatMap(([form, type]) => (form.test(each) ? [{ text: each, type }] : [])),
  )
  return typed[0]
}

function subjectProperty({ subject, valueUri, lang }: DataCiteSubject): readonly RdfProperty[] {
  const label: RdfLiteral = { text: subject, lang }
  if (valueUri === undefined) return [['dcat:keyword', label]]
  return [
    ['dcat:keyword', label],
    ['dcat:theme', { iri: valueUri, types: ['skos:Concept'], properties: [['skos:prefLabel', label]] }],
  ]
}

function languageNode(language: string | undefined): RdfNode | undefined {
  const iri = language === undefined ? undefined : languageIri(language)
  return iri === undefined ? undefined : { iri, types: ['dct:LinguisticSystem'] }
}

function accessRights(document: DataCiteDocument): RdfNode {
  const iri = `http://publications.europa.eu/resource/authority/access-right/${isOpenAccess(document) ? 'PUBLIC' : 'RESTRICTED'}`
  return { iri, types: ['dct:RightsStatement'] }
}

/** The first licence, because the profile allows at most one; undefined without a licence. */
function licenceNode({ rightsList }: DataCiteDocument): RdfNode | undefined {
  const licence = rightsList.find(right => !isAccessRight(right))
  if (!licence) return undefined
  const types = ['dct:LicenseDocument'] as const
  if (licence.rightsUri !== undefined) return { iri: licence.rightsUri, types }
  return { types, properties: [['dct:title', { text: licence.rights }]] }
}

/** Address of the landing page of the schema version that the document follows; undefined for a schema. */
export function followedSchema({ relatedIdentifiers = [] }: DataCiteDocument): string | undefined {
  return relatedIdentifiers.find(
    ({ relationType, relatedMetadataScheme, schemeType }) =>
      relationType === 'HasMetadata' && relatedMetadataScheme !== undefined && schemeType !== undefined,
  )?.relatedIdentifier
}

function standard(iri: string): RdfNode {
  return { iri, types: ['dct:Standard'] }
}

const relationProperties: Readonly<Record<string, RdfProperty[0]>> = {
  IsMetadataFor: 'foaf:primaryTopic',
  IsPartOf: 'dct:isPartOf',
  HasPart: 'dct:hasPart',
  Cites: 'dct:references',
  References: 'dct:references',
  IsReferencedBy: 'dct:isReferencedBy',
  IsCitedBy: 'dct:isReferencedBy',
  IsVersionOf: 'dct:isVersionOf',
  IsNewVersionOf: 'dcat:previousVersion',
}

function relations(document: DataCiteDocument): readonly RdfProperty[] {
  const schema = followedSchema(document)
  return (document.relatedIdentifiers ?? []).flatMap((related): readonly RdfProperty[] => {
    const iri = identifierIri(related.relatedIdentifier, related.relatedIdentifierType)
    if (iri === undefined) return []
    if (iri === schema && related.relationType === 'HasMetadata') return [['dct:conformsTo', standard(iri)]]
    return [[relationProperties[related.relationType] ?? 'dct:relation', { iri }]]
  })
}

function typeLabels({ types }: DataCiteDocument): readonly RdfProperty[] {
  return [
    ['skos:prefLabel', { text: types.resourceTypeGeneral }],
    ['skos:altLabel', { text: types.resourceType }],
  ]
}
