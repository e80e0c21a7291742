import { type DocumentFacts, type KnownSchema, xmlRoot } from '../document-facts.js'
import { languageAt } from '../languages.js'

/*
 * EAD 3 and EAD 2002: finding aids of archives. The resource is the collection, not the finding aid.
 */

const constant = (text: string) => ({ constant: text })
const did = 'ead.archdesc.did'

/** The parts of a heading of EAD 3, or the text of EAD 2002. */
const heading = (between: string) => ({
  first: [{ join: [0, 1, 2, 3].map(index => `part[${index}]`), with: between }, '.'],
})
const part = (types: readonly string[]) => ({ path: 'part', where: { '@localtype': types } })
const family = part(['last', 'lastname', 'surname', 'family', 'familyname', 'primarypart'])
const given = part(['first', 'firstname', 'given', 'givenname', 'forename', 'secondarypart'])
/** A part of a person's name that is not the family name or given name alone may be the whole name. */
const personName = {
  first: [
    { join: [family, given], with: ', ' },
    // Parts without types: the family name, the given name, and the dates of the life or nothing.
    {
      join: ['part[0]', 'part[1]'].map(path => ({ path, where: { '@localtype': false } })),
      with: ', ',
    },
    'part[0]',
    '.',
  ],
}
const identifiers = { each: '@identifier', nameIdentifier: '.' }

const creators = [
  {
    each: `${did}.origination.persname`,
    name: personName,
    nameType: constant('Personal'),
    nameIdentifiers: identifiers,
  },
  {
    each: `${did}.origination.corpname`,
    name: heading('. '),
    nameType: constant('Organizational'),
    nameIdentifiers: identifiers,
  },
  ...['famname', 'name'].map(element => ({
    each: `${did}.origination.${element}`,
    name: heading(' '),
    nameIdentifiers: identifiers,
  })),
  // EAD 2002 may have the name alone.
  { each: `${did}.origination`, name: '#text' },
]

/** The paragraphs of a section, or the text of an element without paragraphs. */
const withoutHeading = {
  first: [{ join: Array.from({ length: 20 }, (_, index) => `p[${index}]`), with: '\n\n' }, '.'],
}

const indexTerms = {
  ...Object.fromEntries(
    ['subject', 'genreform', 'occupation', 'function', 'geogname'].map(name => [name, heading('--')]),
  ),
  persname: personName,
  corpname: heading('. '),
  famname: heading(' '),
}
const subjects = ['controlaccess', 'controlaccess.controlaccess'].flatMap(at =>
  Object.entries(indexTerms).map(([element, subject]) => ({
    each: `ead.archdesc.${at}.${element}`,
    subject,
    subjectScheme: '@source',
    valueUri: { first: ['@identifier', '@authfilenumber'] },
  })),
)

/** Dates without those of the bulk of the material, which lie within the others. */
const dates = [
  ...['daterange', ...[0, 1, 2, 3].map(index => `dateset.daterange[${index}]`)].map(range => ({
    each: `${did}.unitdatestructured`,
    where: { '@unitdatetype': { not: 'bulk' } },
    date: {
      join: ['from', 'to'].map(end => ({
        first: ['@standarddate', '#text'].map(at => `${range}.${end}date.${at}`),
      })),
      with: '/',
    },
    dateType: constant('Created'),
  })),
  ...['', 'dateset.'].map(set => ({
    each: `${did}.unitdatestructured.${set}datesingle`,
    date: { first: ['@standarddate', '.'] },
    dateType: constant('Created'),
  })),
  ...['', '.unittitle'].map(inside => ({
    each: `${did}${inside}.unitdate`,
    where: { '@unitdatetype': { not: 'bulk' }, '@type': { not: 'bulk' } },
    date: { first: ['@normal', '.'] },
    dateType: constant('Created'),
  })),
]

const quantities = (at: string) =>
  [0, 1, 2, 3].map(index => ({
    join: ['quantity', 'unittype'].map(part => `${at}.physdescstructured[${index}].${part}`),
    with: ' ',
  }))

/** @param header the element with what is said of the finding aid */
function eadCrosswalk(header: 'control' | 'eadheader'): Readonly<Record<string, unknown>> {
  const file = `ead.${header}.filedesc`
  const record = header === 'control' ? 'recordid' : 'eadid'
  return {
    identifier: {
      first: [
        ...['@instanceurl', '@url', '@identifier'].map(attribute => `${record}.${attribute}`),
        ...['representation.@href', 'otherrecordid'],
      ].map(path => ({ each: `ead.${header}.${path}`, identifier: '.' })),
    },
    types: {
      resourceTypeGeneral: constant('Collection'),
      resourceType: { first: ['ead.archdesc.@otherlevel', 'ead.archdesc.@level'] },
    },
    creators,
    titles: {
      title: {
        first: [
          // Dates inside of a title may follow without a blank.
          { path: `${did}.unittitle`, where: { unitdate: false } },
          { join: [`${did}.unittitle.#text`, `${did}.unittitle.unitdate`], with: ' ' },
          `${did}.unittitle`,
          `${file}.titlestmt.titleproper`,
        ],
      },
    },
    publisher: {
      first: [
        `${file}.publicationstmt.publisher`,
        `${did}.repository.corpname.part[0]`,
        `${did}.repository.corpname`,
        `${did}.repository.#text`,
        'ead.control.maintenanceagency.agencyname',
      ],
    },
    publicationYear: {
      first: [`${file}.publicationstmt.date.@normal`, `${file}.publicationstmt.date`],
    },
    subjects,
    dates,
    language: {
      first: ['language.@langcode', 'languageset.language.@langcode', 'language'].map(path =>
        languageAt(`${did}.langmaterial.${path}`),
      ),
    },
    alternateIdentifiers: [
      { each: `${did}.unitid`, alternateIdentifier: '.', alternateIdentifierType: constant('unitid') },
      {
        each: `ead.${header}.${record}`,
        alternateIdentifier: '.',
        alternateIdentifierType: constant(record),
      },
    ],
    sizes: [
      `${did}.physdesc.extent`,
      `${did}.physdesc.#text`,
      ...quantities(did),
      ...quantities(`${did}.physdescset`),
    ],
    rightsList: [{ each: 'ead.archdesc.userestrict', rights: { first: ['p', '.'] } }],
    descriptions: {
      first: [`${did}.abstract`, 'ead.archdesc.scopecontent'].map(each => ({
        each,
        description: withoutHeading,
        descriptionType: constant('Abstract'),
      })),
    },
  }
}

const isEad2002 = ({ element, hasElement }: DocumentFacts): boolean =>
  element?.local === 'ead' &&
  /^(?:urn:isbn:1-931666-22-9)?$/.test(element.namespace) &&
  hasElement('ead.eadheader')

export const eadSchemas: readonly KnownSchema[] = [
  {
    name: 'EAD 3',
    source: 'https://www.loc.gov/ead/EAD3taglib/EAD3.html',
    matches: xmlRoot(/^https?:\/\/ead3\.archivists\.org\/schema\//, 'ead'),
    crosswalk: eadCrosswalk('control'),
  },
  {
    name: 'EAD 2002',
    source: 'https://www.loc.gov/ead/tglib/index.html',
    matches: isEad2002,
    crosswalk: eadCrosswalk('eadheader'),
  },
]
