import type { KnownSchema } from '../known-schema.js'
import { dublinCoreBelow } from './dublin-core-crosswalk.js'
import { modsBelow, modsSource } from './mods-crosswalk.js'

/*
 * METS 1 and 2 with a description in MODS or Dublin Core. The first description that is inside the document is the one
 * of the whole object; others are those of its parts.
 */

const sections = [0, 1, 2].flatMap(index => [
  `mets.dmdSec[${index}].mdWrap.xmlData`,
  `mets.mdSec.mdGrp[0].md[${index}].mdWrap.xmlData`,
])

const schema = (
  name: string,
  source: string,
  sign: string,
  crosswalk: Readonly<Record<string, unknown>>,
): KnownSchema => ({
  name,
  source,
  matches: ({ element, hasElement }) =>
    element?.local === 'mets' &&
    /^http:\/\/www\.loc\.gov\/METS\/(?:v2)?$/.test(element.namespace) &&
    hasElement(sign),
  crosswalk,
})

const dublinCoreSource = 'https://datacite-metadata-schema.readthedocs.io/en/4.6/mappings/dublincore/'

export const metsSchemas: readonly KnownSchema[] = sections.flatMap(at => [
  schema('METS with MODS', modsSource, `${at}.mods`, modsBelow(`${at}.mods`)),
  ...['.dc', '.dublincore', ''].map(inner =>
    schema('METS with Dublin Core', dublinCoreSource, `${at}${inner}.title`, dublinCoreBelow(at + inner)),
  ),
])
