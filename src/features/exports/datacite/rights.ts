import type { DataCiteDocument, DataCiteRights } from '../../../core/records/datacite-document.js'
import { type Scheme, type StoredRecord, stateOf } from '../../../core/records/record.js'
import { visibleText } from '../../../core/text/clean-text.js'
import { webIri } from '../../../core/text/iri.js'

/*
 * Licences and the right of access.
 */

/** Access rights: who may read a record. @see https://vocabularies.coar-repositories.org/access_rights/ */
type AccessRight = 'open' | 'restricted' | 'embargoed'

/**
 * The access right of a record. An embargo ends when the record becomes public, not at a date, so that the export of a
 * revision never changes.
 */
export function accessRightOf(record: StoredRecord, isPublic: boolean): AccessRight {
  if (record.embargoDate !== undefined && !isPublic) return 'embargoed'
  return isPublic && stateOf(record) !== 'REVOKED' ? 'open' : 'restricted'
}

const coarScheme = 'http://purl.org/coar/access_right'
const coarRights: Readonly<Record<AccessRight, readonly [name: string, code: string]>> = {
  open: ['open access', 'c_abf2'],
  restricted: ['restricted access', 'c_16ec'],
  embargoed: ['embargoed access', 'c_f1cf'],
}

/** Codes of access rights in documents: those of OpenAIRE, COAR and the EU. */
const accessCode =
  /^(?:info:eu-repo\/semantics\/\w+access|https?:\/\/purl\.org\/coar\/access_right\/\w+|https?:\/\/publications\.europa\.eu\/resource\/authority\/access-right\/\w+)$/i

/** Whether an entry of a rights list is an access right, and not a licence. A document can state one, too. */
export function isAccessRight({ rights, rightsUri = '', rightsIdentifierScheme }: DataCiteRights): boolean {
  return rightsIdentifierScheme === 'COAR' || accessCode.test(rights) || accessCode.test(rightsUri)
}

/**
 * The rights list of a record in two parts: what record and document state, and the access right at the end, which says
 * who may read the record here.
 */
export function partsOfRights({ rightsList }: DataCiteDocument): {
  readonly stated: readonly DataCiteRights[]
  readonly access: DataCiteRights | undefined
} {
  return { stated: rightsList.slice(0, -1), access: rightsList.at(-1) }
}

/** Whether callers without a token may read the record here. */
export function isOpenAccess(document: DataCiteDocument): boolean {
  return partsOfRights(document).access?.rights === coarRights.open[0]
}

/** The short name of a right: the SPDX identifier of a licence, so that each licence has one name. */
export function shortNameOfRight(right: DataCiteRights): string {
  const { rights, rightsIdentifier, rightsUri } = right
  const name = isAccessRight(right) ? rights : (rightsIdentifier ?? rights)
  return spdxIdentifier(rightsIdentifier ?? rights, rightsUri) ?? name
}

/** The licences of the record. */
export function licencesOf({ rights = [] }: StoredRecord): readonly DataCiteRights[] {
  return rights.flatMap(licence)
}

/** The entry of an access right in a rights list. */
export function accessRight(access: AccessRight): DataCiteRights {
  const [rights, code] = coarRights[access]
  return {
    rights,
    rightsUri: `${coarScheme}/${code}`,
    rightsIdentifier: code,
    rightsIdentifierScheme: 'COAR',
    schemeUri: `${coarScheme}/`,
  }
}

function licence({ schemeId, schemeUri }: Scheme): readonly DataCiteRights[] {
  const name = visibleText(schemeId)
  const uri = webIri(schemeUri) ?? webIri(schemeId)
  const text = visibleText(schemeUri)
  // Records of version 1 name a licence by the end of its address, which says less than the address.
  const rights = name !== undefined && !text?.endsWith(name) ? name : (text ?? name)
  if (rights === undefined) return []
  const spdx = spdxIdentifier(name, uri)
  return [
    {
      rights,
      ...(uri !== undefined && { rightsUri: uri }),
      ...(spdx !== undefined && {
        rightsIdentifier: spdx,
        rightsIdentifierScheme: 'SPDX',
        schemeUri: 'https://spdx.org/licenses/',
      }),
    },
  ]
}

/** Licences of data and schemas that SPDX knows, by their names in lower case. @see https://spdx.org/licenses/ */
const spdxNames = new Map(
  (
    'Apache-2.0 BSD-2-Clause BSD-3-Clause MIT ISC MPL-2.0 GPL-2.0-only GPL-2.0-or-later GPL-3.0-only ' +
    'GPL-3.0-or-later LGPL-2.1-only LGPL-3.0-only AGPL-3.0-only AGPL-3.0-or-later EUPL-1.2 CC0-1.0 ODbL-1.0 ' +
    'ODC-By-1.0 PDDL-1.0 CC-BY-1.0 CC-BY-2.0 CC-BY-2.5 CC-BY-3.0 CC-BY-4.0 CC-BY-SA-3.0 CC-BY-SA-4.0 CC-BY-NC-3.0 CC-BY-NC-4.0 ' +
    'CC-BY-NC-SA-3.0 CC-BY-NC-SA-4.0 CC-BY-ND-3.0 CC-BY-ND-4.0 CC-BY-NC-ND-3.0 CC-BY-NC-ND-4.0'
  )
    .split(' ')
    .map(name => [name.toLowerCase(), name]),
)

const addresses = new Map(
  Object.entries({
    'apache.org/licenses/license-2.0': 'Apache-2.0',
    'creativecommons.org/publicdomain/zero/1.0': 'CC0-1.0',
    'opendatacommons.org/licenses/odbl': 'ODbL-1.0',
    'opendatacommons.org/licenses/by': 'ODC-By-1.0',
    'opendatacommons.org/licenses/pddl': 'PDDL-1.0',
    'gnu.org/licenses/gpl-3.0': 'GPL-3.0-only',
    'publications.europa.eu/resource/authority/licence/cc0': 'CC0-1.0',
    'govdata.de/dl-de/by-2-0': 'DL-DE-BY-2.0',
    'govdata.de/dl-de/zero-2-0': 'DL-DE-ZERO-2.0',
    'dcat-ap.de/def/licenses/cc-zero': 'CC0-1.0',
    'dcat-ap.de/def/licenses/dl-by-de/2.0': 'DL-DE-BY-2.0',
    'dcat-ap.de/def/licenses/dl-zero-de/2.0': 'DL-DE-ZERO-2.0',
    'dcat-ap.de/def/licenses/odbl': 'ODbL-1.0',
    'dcat-ap.de/def/licenses/odby': 'ODC-By-1.0',
    'dcat-ap.de/def/licenses/odcpddl': 'PDDL-1.0',
    'opendefinition.org/licenses/cc-zero': 'CC0-1.0',
    'opendefinition.org/licenses/odc-by': 'ODC-By-1.0',
    'opendefinition.org/licenses/odc-odbl': 'ODbL-1.0',
    'opendefinition.org/licenses/odc-pddl': 'PDDL-1.0',
    'nationalarchives.gov.uk/doc/open-government-licence/version/3': 'OGL-UK-3.0',
  }),
)

/** The SPDX identifier of a licence by its name or its address; undefined for a licence that is not known. */
export function spdxIdentifier(name: string | undefined, uri: string | undefined): string | undefined {
  const byName = spdxNames.get(shortName(name?.toLowerCase() ?? ''))
  if (byName !== undefined || uri === undefined) return byName
  const address = uri
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/(?:\/(?:legalcode|deed)[.\w-]*)?\/?$/, '')
    .replace(/\.(?:html|txt)$/, '')
    .replace(/^www\./, '')
    .replace(/^(opendatacommons\.org\/licenses\/[a-z]+)\/1-0$/, '$1')
  // Creative Commons, and the vocabulary of DCAT-AP.de.
  const [, kind, version] =
    /^(?:creativecommons\.org\/licenses\/|dcat-ap\.de\/def\/licenses\/cc-)(by[a-z-]*)\/(\d\.\d)$/.exec(
      address,
    ) ?? []
  if (kind !== undefined) return spdxNames.get(`cc-${kind}-${version}`)
  // The vocabulary of the EU, such as `CC_BYNCSA_4_0`.
  const [, nc, other, number] =
    /^publications\.europa\.eu\/resource\/authority\/licence\/cc_by(nc)?(sa|nd)?_(\d)_0$/.exec(address) ?? []
  if (number !== undefined)
    return spdxNames.get(['cc-by', nc, other, `${number}.0`].filter(part => part !== undefined).join('-'))
  const found =
    addresses.get(address) ??
    spdxNames.get(/^(?:spdx|opensource)\.org\/licenses?\/([\w.-]+)$/.exec(address)?.[1] ?? '')
  // The list of SPDX has more licences than those above, and its addresses have their identifiers.
  return found ?? /^https?:\/\/spdx\.org\/licenses\/([\w.+-]{1,60}?)(?:\.html)?\/?$/.exec(uri)?.[1]
}

const ccForm =
  /^(?:creative commons )?\(?cc[ _-]?(0|by(?:[ _-](?:nc|sa|nd)){0,3})\b[^\d]{0,60}(\d\.\d)?(?:[ -](?:international|unported|generic|universal))?(?: licen[cs]e)?\)?$/

/** The names that Creative Commons gives its licences, alone or in a sentence; and the sentences of GBIF with short names. */
const ccNames =
  /(?:^|\bcreative commons )attribution((?:[ -](?:non-?commercial|share-?alike|no-?deriv(?:ative)?s)){0,2}) (\d\.\d)(?: (?:international|unported|generic))?(?=\.?$| (?:public )?licen[cs]e)/g
const ccSentence = /\(cc[ -](by(?:-(?:nc|sa|nd)){0,2})\) (\d\.\d) licen[cs]e\.?$/
const ccConditions: readonly (readonly [RegExp, string])[] = [
  [/non-?commercial/, '-nc'],
  [/share-?alike/, '-sa'],
  [/no-?deriv/, '-nd'],
]

function ccShort(words: string, version: string | undefined): string {
  const signs = ccConditions.flatMap(([form, sign]) => (form.test(words) ? sign : []))
  return `cc-by${signs.join('')}-${version}`
}

/** `cc-by-nc-4.0` for `cc by-nc 4.0 international`; another name as it is. @param name in lower case */
function shortName(name: string): string {
  const named = new Set(
    [...name.trim().matchAll(ccNames)].map(([, words = '', version]) => ccShort(words, version)),
  )
  const [only] = named
  // A text with several licences has no short name.
  if (only !== undefined) return named.size === 1 ? only : name
  if (/\bpublic domain \(cc0 1\.0\)|^creative commons zero v?1\.0|^cc0 1\.0 universal/.test(name))
    return 'cc0-1.0'
  const [, kind, version] = ccSentence.exec(name) ?? ccForm.exec(name.trim()) ?? []
  if (kind === '0') return version === undefined || version === '1.0' ? 'cc0-1.0' : name
  return kind === undefined || version === undefined ? name : `cc-${kind.replace(/[ _]/g, '-')}-${version}`
}
