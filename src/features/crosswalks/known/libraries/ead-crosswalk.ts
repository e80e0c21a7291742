import { type KnownSchema, xmlRoot } from '../known-schema.js'

/*
 * EAD 3: finding aids of archives.
 */

const constant = (text: string) => ({ constant: text })

const did = 'ead.archdesc.did'
const names = ['persname', 'corpname', 'famname', 'name']
const named = (at: string, element: string) => ({
  each: `${at}.${element}`,
  name: { first: [{ join: ['part[0]', 'part[1]'], with: ' ' }, 'part', '.'] },
  nameType: constant(element === 'corpname' ? 'Organizational' : 'Personal'),
})

const eadCrosswalk = {
  identifier: { first: ['ead.control.recordid.@instanceurl', `${did}.unitid`] },
  types: { resourceTypeGeneral: constant('Collection'), resourceType: { first: ['ead.archdesc.@level'] } },
  creators: names.map(element => named(`${did}.origination`, element)),
  titles: [
    { title: { first: [`${did}.unittitle`, 'ead.control.filedesc.titlestmt.titleproper'] } },
    { each: 'ead.control.filedesc.titlestmt.subtitle', title: '.', titleType: constant('Subtitle') },
  ],
  publisher: {
    first: [
      'ead.control.filedesc.publicationstmt.publisher',
      `${did}.repository.corpname`,
      `${did}.repository`,
      'ead.control.maintenanceagency.agencyname',
    ],
  },
  publicationYear: {
    first: ['ead.control.filedesc.publicationstmt.date.@normal', 'ead.control.filedesc.publicationstmt.date'],
  },
  subjects: ['subject', 'genreform', 'occupation', 'function'].map(name => ({
    each: `ead.archdesc.controlaccess.${name}`,
    subject: { first: ['part', '.'] },
    subjectScheme: '@source',
    valueUri: '@identifier',
  })),
  contributors: [
    {
      each: 'ead.control.filedesc.titlestmt.author',
      name: '.',
      contributorType: constant('Editor'),
    },
  ],
  dates: [
    {
      each: `${did}.unitdatestructured.daterange`,
      date: {
        join: [
          { first: ['fromdate.@standarddate', 'fromdate'] },
          { first: ['todate.@standarddate', 'todate'] },
        ],
        with: '/',
      },
      dateType: constant('Created'),
    },
    { each: `${did}.unitdate`, date: { first: ['@normal', '.'] }, dateType: constant('Created') },
  ],
  language: {
    first: [
      `${did}.langmaterial.language.@langcode`,
      `${did}.langmaterial.languageset.language.@langcode`,
      'ead.control.languagedeclaration.language.@langcode',
    ],
  },
  alternateIdentifiers: [
    { each: `${did}.unitid`, alternateIdentifier: '.', alternateIdentifierType: constant('unitid') },
    {
      each: 'ead.control.recordid',
      alternateIdentifier: '.',
      alternateIdentifierType: constant('recordid'),
    },
  ],
  sizes: [
    `${did}.physdesc`,
    {
      join: [`${did}.physdescstructured.quantity`, `${did}.physdescstructured.unittype`],
      with: ' ',
    },
  ],
  rightsList: [{ each: 'ead.archdesc.userestrict', rights: { first: ['p', '.'] } }],
  descriptions: [
    { each: `${did}.abstract`, description: '.', descriptionType: constant('Abstract') },
    {
      each: 'ead.archdesc.scopecontent',
      description: { first: ['p', '.'] },
      descriptionType: constant('Abstract'),
    },
  ],
  geoLocations: {
    each: 'ead.archdesc.controlaccess.geogname',
    geoLocationPlace: { first: ['part', '.'] },
  },
}

export const eadSchemas: readonly KnownSchema[] = [
  {
    name: 'EAD 3',
    source: 'https://www.loc.gov/ead/EAD3taglib/EAD3.html',
    matches: xmlRoot(/^(?:http:\/\/ead3\.archivists\.org\/schema\/|https?:\/\/www\.loc\.gov\/ead.*)$/, 'ead'),
    crosswalk: eadCrosswalk,
  },
]
