import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * LIDO: objects of museums.
 */

const constant = (text: string) => ({ constant: text })

/** The crosswalk of LIDO. @param at the path of the element `lido` */
function lidoBelow(at: string): Readonly<Record<string, unknown>> {
  const object = `${at}.descriptiveMetadata`
  const events = `${object}.eventWrap.eventSet.event`
  const actor = {
    name: { first: ['actor.nameActorSet.appellationValue'] },
    nameIdentifiers: {
      each: 'actor.actorID',
      nameIdentifier: '.',
      nameIdentifierScheme: '@source',
    },
  }
  return {
    identifier: { first: [`${at}.administrativeMetadata.recordWrap.recordInfoSet.recordInfoLink`] },
    types: {
      resourceTypeGeneral: constant('PhysicalObject'),
      resourceType: {
        first: ['term', 'conceptID'].map(
          name => `${object}.objectClassificationWrap.objectWorkTypeWrap.objectWorkType.${name}`,
        ),
      },
    },
    creators: { each: `${events}.eventActor.actorInRole`, ...actor },
    titles: {
      each: `${object}.objectIdentificationWrap.titleWrap.titleSet`,
      title: 'appellationValue',
      lang: { first: ['appellationValue.@lang', '@lang'] },
    },
    publisher: {
      first: [
        `${at}.administrativeMetadata.recordWrap.recordSource.legalBodyName.appellationValue`,
        `${object}.objectIdentificationWrap.repositoryWrap.repositorySet.repositoryName.legalBodyName.appellationValue`,
      ],
    },
    publicationYear: {
      first: [`${at}.administrativeMetadata.recordWrap.recordInfoSet.recordMetadataDate`],
    },
    subjects: [
      {
        each: `${object}.objectRelationWrap.subjectWrap.subjectSet.subject.subjectConcept`,
        subject: 'term',
        valueUri: 'conceptID',
      },
      { each: `${object}.objectClassificationWrap.classificationWrap.classification`, subject: 'term' },
    ],
    dates: {
      each: `${events}.eventDate.date`,
      date: { join: ['earliestDate', 'latestDate'], with: '/' },
      dateType: constant('Created'),
    },
    language: { first: [`${object}.@lang`] },
    alternateIdentifiers: [
      {
        each: `${at}.lidoRecID`,
        alternateIdentifier: '.',
        alternateIdentifierType: { first: ['@type', { constant: 'lidoRecID' }] },
      },
      {
        each: `${object}.objectIdentificationWrap.repositoryWrap.repositorySet.workID`,
        alternateIdentifier: '.',
        alternateIdentifierType: { first: ['@type', { constant: 'workID' }] },
      },
    ],
    sizes: `${object}.objectIdentificationWrap.objectMeasurementsWrap.objectMeasurementsSet.displayObjectMeasurements`,
    formats: `${object}.eventWrap.eventSet.event.eventMaterialsTech.displayMaterialsTech`,
    rightsList: [
      {
        each: `${at}.administrativeMetadata.recordWrap.recordRights.rightsType`,
        rights: { first: ['term', 'conceptID'] },
        rightsUri: 'conceptID',
      },
      {
        each: `${at}.administrativeMetadata.rightsWorkWrap.rightsWorkSet.rightsType`,
        rights: { first: ['term', 'conceptID'] },
        rightsUri: 'conceptID',
      },
    ],
    descriptions: {
      each: `${object}.objectIdentificationWrap.objectDescriptionWrap.objectDescriptionSet.descriptiveNoteValue`,
      description: '.',
      lang: '@lang',
      descriptionType: constant('Abstract'),
    },
    geoLocations: {
      each: `${events}.eventPlace`,
      geoLocationPlace: { first: ['place.namePlaceSet.appellationValue', 'displayPlace'] },
    },
  }
}

export const lidoSchemas: readonly KnownSchema[] = [
  {
    name: 'LIDO',
    source: 'https://lido-schema.org/documents/primer/latest/lido-primer.html',
    matches: xmlRoot('http://www.lido-schema.org', 'lido'),
    crosswalk: lidoBelow('lido'),
  },
  {
    name: 'LIDO (wrapped)',
    source: 'https://lido-schema.org/documents/primer/latest/lido-primer.html',
    matches: xmlRoot('http://www.lido-schema.org', 'lidoWrap'),
    crosswalk: lidoBelow('lidoWrap.lido[0]'),
  },
]
