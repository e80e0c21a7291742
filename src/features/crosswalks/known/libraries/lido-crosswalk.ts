import { eachText, type KnownSchema } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * LIDO 1.0 and 1.1: objects of museums.
 */

const constant = (text: string) => ({ constant: text })
const terms = 'http://terminology.lido-schema.org/lido'

/** The words for the making of an object, by the terminology of LIDO and in the languages of harvested documents. */
const makingWords = [
  ...['production', 'creation', 'designing', 'herstellung', 'entwurf', 'schöpfung', 'produktion'],
  ...['produzione', 'creazione', 'création', 'fabrication', 'valmistus', 'valmistaminen', 'suunnittelu'],
]
const makingTerms = ['00007', '00012', '00224'].map(number => terms + number)
/** Conditions for an event of making: in LIDO 1.0 by name or identifier, in 1.1 by concept. */
const making = [
  { 'eventType.conceptID': makingTerms },
  { 'eventType.conceptID': { not: makingTerms }, 'eventType.term': makingWords },
  { 'eventType.Concept.@about': makingTerms },
]
const unknown = ['unbekannt', 'unknown', 'anonymous', 'anonym', 'sconosciuto', 'tuntematon', 'inconnu']

const appellation = 'actor.nameActorSet[0].appellationValue[0]'
const actor = 'eventActor.actorInRole'
const nameTypes = {
  [`${terms}00163`]: 'Personal',
  person: 'Personal',
  individual: 'Personal',
  corporation: 'Organizational',
  group: 'Organizational',
}

/** Makers: of a single one everything, of several the names. */
const makers = (events: string) =>
  making.flatMap(where => [
    {
      each: events,
      where: { ...where, 'eventActor[1]': false },
      name: { path: `${actor}.${appellation}`, where: { '.': { not: unknown } } },
      nameType: { path: `${actor}.actor.@type`, values: nameTypes, only: true },
      nameIdentifiers: { each: `${actor}.actor.actorID`, nameIdentifier: '.' },
    },
    {
      each: events,
      where: { ...where, 'eventActor[1]': true },
      name: { ...eachText(`${actor}.${appellation}`), where: { '.': { not: unknown } } },
    },
  ])

/** Relations to other works, as harvested documents write them. */
const workRelations = {
  'part of': 'IsPartOf',
  'is part of': 'IsPartOf',
  'teil von': 'IsPartOf',
  'has part': 'HasPart',
  'hat teil': 'HasPart',
}

/** A concept without the terms that help a search alone: LIDO 1.0 has terms, LIDO 1.1 may have concepts of SKOS. */
const concept = (each: string) => [
  {
    each,
    where: { term: true },
    subject: { ...eachText('term'), where: { '@addedSearchTerm': { not: 'yes' } } },
    subjectScheme: 'conceptID.@source',
    valueUri: 'conceptID',
  },
  { each: `${each}.Concept`, subject: 'prefLabel', valueUri: '@about' },
]

/** Sizes as texts such as `height 26.9 cm`. Museums write all measurements in one set, or each in a set of its own. */
function measurementsBelow(measured: string): readonly object[] {
  const part = (name: string) => ({
    first: [`measurement${name}.Concept.prefLabel[0]`, `measurement${name}`],
  })
  const places = [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 0],
    [2, 0],
    [3, 0],
  ]
  return places.map(([set, index]) => ({
    join: ['Type', 'Value', 'Unit'].map(name => ({
      first: part(name).first.map(
        path => `${measured}[${set}].objectMeasurements.measurementsSet[${index}].${path}`,
      ),
    })),
    with: ' ',
  }))
}

/** Titles in the language of their own, or else of the description around them. */
const titlesIn = (description: string) =>
  ['preferred', 'alternate'].flatMap(form => {
    const alternate = ['alternate', `${terms}00170`]
    const where = { '@pref': form === 'alternate' ? alternate : { not: alternate } }
    const type = form === 'alternate' ? { titleType: constant('AlternativeTitle') } : {}
    const titles = 'objectIdentificationWrap.titleWrap.titleSet.appellationValue'
    const lang = languageAt('@lang')
    return [
      { each: `${description}.${titles}`, where: { ...where, '@lang': true }, title: '.', lang, ...type },
      {
        each: description,
        title: { ...eachText(titles), where: { ...where, '@lang': false } },
        lang,
        ...type,
      },
    ]
  })

/** The crosswalk of LIDO. @param at the path of the element `lido` */
function lidoBelow(at: string): Readonly<Record<string, unknown>> {
  const object = `${at}.descriptiveMetadata`
  const identification = `${object}.objectIdentificationWrap`
  const classification = `${object}.objectClassificationWrap`
  const events = `${object}.eventWrap.eventSet.event`
  const record = `${at}.administrativeMetadata.recordWrap`
  const legalName = 'legalBodyName.appellationValue'
  const measured = `${identification}.objectMeasurementsWrap.objectMeasurementsSet`
  return {
    identifier: {
      first: [`${at}.objectPublishedID`, `${record}.recordInfoSet.recordInfoLink`].map(each => ({
        each,
        identifier: '.',
      })),
    },
    types: {
      resourceTypeGeneral: constant('PhysicalObject'),
      resourceType: {
        first: ['term', 'Concept.prefLabel'].map(
          name => `${classification}.objectWorkTypeWrap.objectWorkType.${name}`,
        ),
      },
    },
    creators: makers(events),
    titles: titlesIn(object),
    publisher: {
      first: [
        `${record}.recordSource.${legalName}`,
        `${identification}.repositoryWrap.repositorySet.repositoryName.${legalName}`,
      ],
    },
    publicationYear: { first: [`${record}.recordInfoSet.recordMetadataDate`] },
    subjects: [
      ...concept(`${object}.objectRelationWrap.subjectWrap.subjectSet.subject.subjectConcept`),
      ...['subjectActor.actor.nameActorSet', 'subjectPlace.place.namePlaceSet'].map(named => ({
        each: `${object}.objectRelationWrap.subjectWrap.subjectSet.subject.${named}`,
        subject: 'appellationValue[0]',
      })),
      ...concept(`${classification}.classificationWrap.classification`),
    ],
    contributors: {
      first: ['rightsWorkWrap.rightsWorkSet', 'resourceWrap.resourceSet.rightsResource'].map(place => ({
        each: `${at}.administrativeMetadata.${place}.rightsHolder`,
        name: `${legalName}[0]`,
        nameIdentifiers: { each: 'legalBodyID', nameIdentifier: '.' },
        contributorType: constant('RightsHolder'),
      })),
    },
    relatedIdentifiers: {
      each: `${object}.objectRelationWrap.relatedWorksWrap.relatedWorkSet`,
      where: { 'relatedWorkRelType.term': Object.keys(workRelations) },
      relatedIdentifier: 'relatedWork.object.objectWebResource',
      relationType: { path: 'relatedWorkRelType.term', values: workRelations, only: true },
    },
    dates: making.map(where => ({
      each: events,
      where,
      date: { join: ['eventDate.date.earliestDate', 'eventDate.date.latestDate'], with: '/' },
      dateType: constant('Created'),
    })),
    language: languageAt(`${object}.@lang`),
    alternateIdentifiers: [
      {
        each: `${at}.lidoRecID`,
        alternateIdentifier: '.',
        alternateIdentifierType: constant('lidoRecID'),
      },
      {
        each: `${identification}.repositoryWrap.repositorySet.workID`,
        alternateIdentifier: '.',
        alternateIdentifierType: constant('workID'),
      },
    ],
    sizes: { first: [[`${measured}.displayObjectMeasurements`], measurementsBelow(measured)] },
    // The rights in the record are said where there is nothing on the rights in the object.
    rightsList: {
      first: [
        `${at}.administrativeMetadata.rightsWorkWrap.rightsWorkSet.rightsType`,
        `${record}.recordRights.rightsType`,
      ].map(each => [
        { each, rights: 'term', rightsUri: 'conceptID' },
        { each: `${each}.Concept`, rights: 'prefLabel', rightsUri: '@about' },
      ]),
    },
    descriptions: [
      {
        each: `${identification}.objectDescriptionWrap.objectDescriptionSet`,
        where: { '@type': { not: 'Objektanzahl' } },
        description: eachText('descriptiveNoteValue'),
        lang: languageAt('descriptiveNoteValue.@lang'),
        descriptionType: constant('Abstract'),
      },
      ...making.map(where => ({
        each: events,
        where,
        description: eachText('eventMaterialsTech.displayMaterialsTech'),
        descriptionType: constant('TechnicalInfo'),
      })),
    ],
    geoLocations: ['place.namePlaceSet.appellationValue', 'displayPlace'].map(path => ({
      each: `${events}.eventPlace`,
      where: path === 'displayPlace' ? { place: false } : {},
      geoLocationPlace: { path, where: { '.': { not: unknown } } },
    })),
  }
}

const schema = (root: string, at: string): KnownSchema => ({
  name: root === 'lido' ? 'LIDO' : 'LIDO (wrapped)',
  source: 'https://lido-schema.org/schema/v1.1/lido-v1.1.html',
  matches: ({ element, hasElement }) =>
    element?.local === root &&
    /^(?:http:\/\/www\.lido-schema\.org)?$/.test(element.namespace) &&
    hasElement(`${at}.descriptiveMetadata`),
  crosswalk: lidoBelow(at),
})

export const lidoSchemas: readonly KnownSchema[] = [
  schema('lido', 'lido'),
  schema('lidoWrap', 'lidoWrap.lido[0]'),
]
