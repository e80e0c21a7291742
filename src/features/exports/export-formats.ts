import { dataCiteXml } from './datacite/datacite-xml.js'
import type { DescribedRecord } from './datacite/export-context.js'
import { bibtex } from './formats/bibtex.js'
import { crateProfile } from './formats/crate-entities.js'
import { cslItem } from './formats/csl-json.js'
import { dcatDataset } from './formats/dcat.js'
import { oaiDcNamespace, oaiDcXml } from './formats/dublin-core.js'
import { jsonLdContext, jsonLdOf, turtleOf, turtlePrefixes } from './formats/rdf.js'
import { ris } from './formats/ris.js'
import { schemaOrg } from './formats/schema-org.js'

/** A format of exports. */
export interface ExportFormat {
  /** The last part of the address of an export. */
  readonly name: string
  /** The name on pages. */
  readonly title: string
  /** The media type, without parameters. */
  readonly mediaType: string
  /** The parameter `profile` of the media type. It distinguishes formats that share a media type. */
  readonly profile?: string
  /** Ending of the names of files. */
  readonly ending: string
  /** True: `Accept` with the media type and without a profile selects this format. */
  readonly isDefault?: true
  /** Further types in `Accept` that select the format. */
  readonly alsoAccepted?: readonly string[]
}

/** The formats, the most common ones first. */
export const exportFormats = [
  {
    name: 'datacite-json',
    title: 'DataCite JSON',
    mediaType: 'application/vnd.datacite.datacite+json',
    ending: 'json',
    isDefault: true,
  },
  {
    name: 'schemaorg',
    title: 'schema.org',
    mediaType: 'application/ld+json',
    ending: 'jsonld',
    isDefault: true,
    alsoAccepted: ['application/vnd.schemaorg.ld+json'],
  },
  {
    name: 'datacite-xml',
    title: 'DataCite XML',
    mediaType: 'application/vnd.datacite.datacite+xml',
    ending: 'xml',
    isDefault: true,
  },
  {
    name: 'dcat',
    title: 'DCAT-AP (JSON-LD)',
    mediaType: 'application/ld+json',
    profile: 'http://www.w3.org/ns/dcat#',
    ending: 'jsonld',
  },
  { name: 'dcat-ttl', title: 'DCAT-AP (Turtle)', mediaType: 'text/turtle', ending: 'ttl', isDefault: true },
  {
    name: 'oai_dc',
    title: 'Dublin Core',
    mediaType: 'application/xml',
    profile: oaiDcNamespace,
    ending: 'xml',
  },
  { name: 'bibtex', title: 'BibTeX', mediaType: 'application/x-bibtex', ending: 'bib', isDefault: true },
  {
    name: 'csl',
    title: 'CSL-JSON',
    mediaType: 'application/vnd.citationstyles.csl+json',
    ending: 'json',
    isDefault: true,
  },
  {
    name: 'ris',
    title: 'RIS',
    mediaType: 'application/x-research-info-systems',
    ending: 'ris',
    isDefault: true,
  },
  {
    name: 'ro-crate',
    title: 'RO-Crate',
    mediaType: 'application/ld+json',
    profile: crateProfile,
    ending: 'json',
  },
  {
    name: 'ro-crate-zip',
    title: 'RO-Crate (ZIP)',
    mediaType: 'application/zip',
    ending: 'zip',
    isDefault: true,
  },
  {
    name: 'prov',
    title: 'Provenance (PROV-O)',
    mediaType: 'text/turtle',
    profile: 'http://www.w3.org/ns/prov#',
    ending: 'ttl',
  },
  {
    name: 'linkset',
    title: 'Linkset (JSON)',
    mediaType: 'application/linkset+json',
    ending: 'json',
    isDefault: true,
  },
  {
    name: 'linkset-text',
    title: 'Linkset (text)',
    mediaType: 'application/linkset',
    ending: 'txt',
    isDefault: true,
  },
] as const satisfies readonly ExportFormat[]

export type ExportName = (typeof exportFormats)[number]['name']

/** Formats that need nothing but the record. */
export type PlainExportName = Exclude<
  ExportName,
  'ro-crate' | 'ro-crate-zip' | 'prov' | 'linkset' | 'linkset-text'
>

export function exportFormat(name: ExportName): ExportFormat {
  return exportFormats.find(format => format.name === name) as ExportFormat
}

const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const writers: Readonly<Record<PlainExportName, (described: DescribedRecord) => string>> = {
  'datacite-json': ({ document }) => JSON.stringify(document),
  'datacite-xml': ({ document }) => `${xmlDeclaration}${dataCiteXml(document)}\n`,
  schemaorg: described => JSON.stringify(schemaOrg(described)),
  dcat: described => JSON.stringify({ '@context': jsonLdContext, ...jsonLdOf(dcatDataset(described)) }),
  'dcat-ttl': described => turtlePrefixes + turtleOf([dcatDataset(described)]),
  oai_dc: ({ document }) => `${xmlDeclaration}${oaiDcXml(document)}\n`,
  bibtex,
  csl: described => JSON.stringify(cslItem(described)),
  ris,
}

export function isPlainExport(name: ExportName): name is PlainExportName {
  return name in writers
}

/** The record in the format, as text. */
export function writeExport(name: PlainExportName, described: DescribedRecord): string {
  return writers[name](described)
}
