import { XmlDocument, type XmlElement } from 'libxml2-wasm'
import type { StoredRecord } from '../../../src/core/records/record.js'

/*
 * Reads DataCite's own examples as records. It omits what records do not support: identifiers of names, related items,
 * newer types of relations and identifiers, and the ends of ranges of dates.
 */

const namespaces = { d: 'http://datacite.org/schema/kernel-4' }

const general =
  'AUDIOVISUAL COLLECTION DATASET EVENT IMAGE MODEL SERVICE SOFTWARE SOUND TEXT WORKFLOW OTHER'.split(' ')
/** Types of DataCite that records do not support. */
const noContributors = ['Translator']
const noDates = ['Coverage', 'Other']
export const noIdentifiers = ['CSTR', 'RRID']
/** The list includes the relations that a record uses for its resource, its schema and its earlier version. */
export const noRelations = (
  'IsPublishedIn HasTranslation IsTranslationOf Describes IsDescribedBy Requires IsRequiredBy Obsoletes IsObsoletedBy ' +
  'Collects IsCollectedBy HasMetadata IsMetadataFor IsNewVersionOf'
).split(' ')

/** Converts a type of DataCite to the constant of a record: `ContactPerson` to `CONTACT_PERSON`. */
function constant(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}

const identifierConstants: Readonly<Record<string, string>> = {
  arXiv: 'AR_XIV',
  EAN13: 'EAN_13',
  w3id: 'W_3_ID',
}

function identifierConstant(type: string): string {
  return identifierConstants[type] ?? constant(type)
}

/** Converts an example to a record. */
export function recordOfExample(xml: string): Omit<StoredRecord, 'id'> {
  const document = XmlDocument.fromString(xml)
  try {
    return recordOf(document.root)
  } finally {
    document.dispose()
  }
}

function recordOf(root: XmlElement): Omit<StoredRecord, 'id'> {
  const all = (path: string, from = root) => from.find(path, namespaces) as XmlElement[]
  const text = (path: string, from = root) => all(path, from)[0]?.content.trim() || undefined
  const attribute = (element: XmlElement | undefined, name: string) => element?.attr(name)?.value
  const number = (path: string, from: XmlElement) => Number(text(path, from))
  const language = (element: XmlElement) => {
    const lang = element.attr('lang', 'xml')?.value
    return lang === undefined ? {} : { lang }
  }
  const agent = (element: XmlElement, name: string) => {
    const givenName = text('d:givenName', element)
    const affiliations = all('d:affiliation', element).map(({ content }) => content)
    return {
      ...(givenName !== undefined && { givenName }),
      familyName: (givenName !== undefined && text('d:familyName', element)) || (text(name, element) ?? ''),
      ...(affiliations.length > 0 && { affiliations }),
    }
  }
  const point = (element: XmlElement) => ({
    longitude: number('d:pointLongitude', element),
    latitude: number('d:pointLatitude', element),
  })
  const [type] = all('d:resourceType')
  const typeGeneral = constant(attribute(type, 'resourceTypeGeneral') ?? '')
  const lang = text('d:language')
  return {
    identifier: { value: text('d:identifier') ?? '', identifierType: 'DOI' },
    creators: all('//d:creators/d:creator[not(ancestor::d:relatedItem)]').map(each =>
      agent(each, 'd:creatorName'),
    ),
    titles: all('d:titles/d:title').map(title => {
      const titleType = attribute(title, 'titleType')
      return {
        value: title.content,
        ...(titleType !== undefined && { titleType: constant(titleType) }),
        ...language(title),
      }
    }),
    publisher: text('d:publisher') ?? '',
    publicationYear: text('d:publicationYear') ?? '',
    resourceType: {
      value: text('d:resourceType') ?? attribute(type, 'resourceTypeGeneral') ?? '',
      typeGeneral: general.includes(typeGeneral) ? typeGeneral : 'OTHER',
    },
    subjects: all('d:subjects/d:subject').map(subject => {
      const valueUri = attribute(subject, 'valueURI')
      const schemeId = attribute(subject, 'subjectScheme')
      const schemeUri = attribute(subject, 'schemeURI')
      return {
        value: subject.content,
        ...(valueUri !== undefined && { valueUri }),
        ...(schemeId !== undefined && {
          scheme: { schemeId, ...(schemeUri !== undefined && { schemeUri }) },
        }),
        ...language(subject),
      }
    }),
    contributors: all('d:contributors/d:contributor').map(contributor => {
      const contributorType = attribute(contributor, 'contributorType') ?? ''
      return {
        user: agent(contributor, 'd:contributorName'),
        contributionType: noContributors.includes(contributorType) ? 'OTHER' : constant(contributorType),
      }
    }),
    dates: all('d:dates/d:date').flatMap(date => {
      const dateType = attribute(date, 'dateType') ?? ''
      if (noDates.includes(dateType)) return []
      const [begin = ''] = date.content.split('/')
      const value = new Date(begin).toISOString().replace('.000Z', 'Z')
      return [{ value, type: dateType === 'Withdrawn' ? 'REVOKED' : constant(dateType) }]
    }),
    ...(lang !== undefined && { language: lang }),
    relatedIdentifiers: all('d:relatedIdentifiers/d:relatedIdentifier').flatMap(related => {
      const relationType = attribute(related, 'relationType') ?? ''
      const identifierType = attribute(related, 'relatedIdentifierType') ?? ''
      if (noRelations.includes(relationType) || noIdentifiers.includes(identifierType)) return []
      return [
        {
          value: related.content,
          identifierType: identifierConstant(identifierType),
          relationType: constant(relationType),
        },
      ]
    }),
    sizes: all('d:sizes/d:size').map(({ content }) => content),
    formats: all('d:formats/d:format').map(({ content }) => content),
    rights: all('d:rightsList/d:rights').map(rights => ({
      schemeId: attribute(rights, 'rightsIdentifier') ?? rights.content,
      schemeUri: attribute(rights, 'rightsURI') ?? '',
    })),
    descriptions: all('d:descriptions/d:description').map(description => ({
      description: description.content,
      type: constant(attribute(description, 'descriptionType') ?? 'Other'),
      ...language(description),
    })),
    geoLocations: all('d:geoLocations/d:geoLocation').map(place => {
      const name = text('d:geoLocationPlace', place)
      const [at] = all('d:geoLocationPoint', place)
      const [box] = all('d:geoLocationBox', place)
      const points = all('d:geoLocationPolygon/d:polygonPoint', place).map(point)
      return {
        ...(name !== undefined && { place: name }),
        ...(at && { point: point(at) }),
        ...(box && {
          box: {
            westLongitude: number('d:westBoundLongitude', box),
            eastLongitude: number('d:eastBoundLongitude', box),
            southLatitude: number('d:southBoundLatitude', box),
            northLatitude: number('d:northBoundLatitude', box),
          },
        }),
        ...(points.length > 0 && { polygon: { points } }),
      }
    }),
    fundingReferences: all('d:fundingReferences/d:fundingReference').map(grant => {
      const [funder] = all('d:funderIdentifier', grant)
      const [award] = all('d:awardNumber', grant)
      const awardUri = attribute(award, 'awardURI')
      const awardTitle = text('d:awardTitle', grant)
      const isCrossref = attribute(funder, 'funderIdentifierType') === 'Crossref Funder ID'
      return {
        funderName: text('d:funderName', grant) ?? '',
        ...(funder && {
          funderIdentifier: { value: funder.content, type: isCrossref ? 'CROSSREF_FUNDER_ID' : 'OTHER' },
        }),
        ...(award && { awardNumber: { schemeId: award.content } }),
        ...(awardUri !== undefined && { awardUri }),
        ...(awardTitle !== undefined && { awardTitle }),
      }
    }),
  }
}
