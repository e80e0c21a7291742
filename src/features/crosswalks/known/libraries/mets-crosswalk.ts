import type { KnownSchema } from '../known-schema.js'
import { dublinCoreBelow } from './dublin-core-crosswalk.js'
import { modsBelow, modsSource } from './mods-crosswalk.js'

/*
 * METS 1 and 2 with a description in MODS or Dublin Core. The first description that is inside the document is the one
 * of the whole object; others are those of its parts. Without one, METS itself has a label and an identifier.
 */

const sections = [0, 1, 2].flatMap(index => [
  `mets.dmdSec[${index}].mdWrap.xmlData`,
  `mets.mdSec.mdGrp[0].md[${index}].mdWrap.xmlData`,
  `mets.mdSec.md[${index}].mdWrap.xmlData`,
])

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

/** A description with the label of METS in place of a title that it lacks. */
function withLabel(crosswalk: Rules): Rules {
  const titles = crosswalk.titles === undefined ? [] : [crosswalk.titles]
  return { ...ofMets, ...crosswalk, titles: { first: [...titles, ofMets.titles] } }
}

const schema = (name: string, source: string, crosswalk: Rules, sign: string): KnownSchema => ({
  name,
  source,
  matches: ({ element, hasElement }) =>
    element?.local === 'mets' &&
    /^http:\/\/www\.loc\.gov\/METS\/(?:v2)?$/.test(element.namespace) &&
    hasElement(sign),
  crosswalk: withLabel(crosswalk),
})

const dublinCoreSource = 'https://datacite-metadata-schema.readthedocs.io/en/4.6/mappings/dublincore/'
/** Elements around those of Dublin Core; the last one stands for none. */
const dublinCoreRoots = ['.dc', '.dublincore', '.record', '.qualifieddc', '.simpledc', '.metadata', '']

export const metsSchemas: readonly KnownSchema[] = [
  ...sections.flatMap(at => [
    schema('METS with MODS', modsSource, modsBelow(`${at}.mods`), `${at}.mods`),
    ...dublinCoreRoots.map(inner =>
      schema('METS with Dublin Core', dublinCoreSource, dublinCoreBelow(at + inner), `${at}${inner}.title`),
    ),
  ]),
  ...['mets.@LABEL', 'mets.@OBJID'].map(sign =>
    schema('METS', 'https://www.loc.gov/standards/mets/METSOverview.v3_en.html', {}, sign),
  ),
]
