import type { KnownSchema } from '../document-facts.js'
import { dublinCoreBelow } from './dublin-core-crosswalk.js'
import { modsBelow, modsSource } from './mods-crosswalk.js'

/*
 * METS 1 and 2 with a description in MODS or Dublin Core. The whole object has the description that the structure names
 * for its outermost part, or else the first one that is inside the document; others are those of parts. Without one,
 * METS itself has a label and an identifier.
 */

const sections = [
  ...['mets.structMap[0]', 'mets.structMap[1]', 'mets.structSec.structMap[0]'].flatMap(structure =>
    [0, 1].map(index => `${structure}.div[0].@DMDID.#target[${index}]`),
  ),
  ...['mets.structSec.structMap[0].div[0].@MDID.#target[0]'],
  ...[0, 1, 2].flatMap(index => [
    `mets.dmdSec[${index}]`,
    `mets.mdSec.mdGrp[0].md[${index}]`,
    `mets.mdSec.md[${index}]`,
  ]),
].map(section => `${section}.mdWrap.xmlData`)

type Rules = Readonly<Record<string, unknown>>

/** What METS says of the object. */
const ofMets = {
  titles: 'mets.@LABEL',
  alternateIdentifiers: {
    each: 'mets.@OBJID',
    alternateIdentifier: '.',
    alternateIdentifierType: { constant: 'OBJID' },
  },
}

/** A description with the identifier of METS, and with its label in place of a title that it lacks. */
function withLabel(crosswalk: Rules): Rules {
  const { titles, alternateIdentifiers } = crosswalk
  const all = (rule: unknown) => (rule === undefined ? [] : [rule].flat())
  return {
    ...crosswalk,
    titles: { first: [...(titles === undefined ? [] : [titles]), ofMets.titles] },
    alternateIdentifiers: [ofMets.alternateIdentifiers, ...all(alternateIdentifiers)],
  }
}

const schema = (name: string, source: string, crosswalk: () => Rules, sign: string): KnownSchema => ({
  name,
  source,
  matches: ({ element, hasElement }) =>
    element?.local === 'mets' &&
    /^http:\/\/www\.loc\.gov\/METS\/(?:v2)?$/.test(element.namespace) &&
    hasElement(sign),
  // Few of the places are ever needed.
  get crosswalk() {
    return withLabel(crosswalk())
  },
})

const dublinCoreSource = 'https://datacite-metadata-schema.readthedocs.io/en/4.6/mappings/dublincore/'
/** Elements around those of Dublin Core; the last one stands for none. */
const dublinCoreRoots = ['.dc', '.dublincore', '.record', '.qualifieddc', '.simpledc', '.metadata', '']

export const metsSchemas: readonly KnownSchema[] = [
  ...sections.flatMap(at => [
    schema('METS with MODS', modsSource, () => modsBelow(`${at}.mods`), `${at}.mods`),
    // Old versions of DSpace leave out the element around the parts of MODS.
    schema('METS with MODS', modsSource, () => modsBelow(at), `${at}.titleInfo`),
    ...dublinCoreRoots.map(inner =>
      schema(
        'METS with Dublin Core',
        dublinCoreSource,
        () => dublinCoreBelow(at + inner),
        `${at}${inner}.title`,
      ),
    ),
  ]),
  ...['mets.@LABEL', 'mets.@OBJID'].map(sign =>
    schema('METS', 'https://www.loc.gov/standards/mets/METSOverview.v3_en.html', () => ({}), sign),
  ),
]
