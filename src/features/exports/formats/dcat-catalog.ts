import {
  jsonLdContext,
  jsonLdOf,
  type RdfNode,
  type RdfProperty,
  resource,
  turtleOf,
  turtlePrefixes,
} from './rdf.js'

/*
 * All public records as a catalogue in DCAT, in pages. A page is written record by record while it is sent.
 * @see https://docs.ckan.org/projects/ckanext-dcat/: harvesters follow `hydra:next`
 */

export interface CatalogPage {
  /** IRI of the catalogue, which is the same in all pages and formats. */
  readonly iri: string
  readonly title: string
  readonly description: string
  /** Address of the entry page. */
  readonly homepage: string
  /** Address of this page. */
  readonly page: string
  readonly first: string
  readonly last: string
  readonly previous?: string
  readonly next?: string
  readonly totalItems: number
  readonly itemsPerPage: number
}

/** Writes the texts of a page: its beginning, one text for each record, and its end. */
export interface DcatCatalogWriter {
  readonly mediaType: string
  begin(page: CatalogPage): string
  dataset(page: CatalogPage, dataset: RdfNode): string
  readonly end: string
}

export const turtleCatalog: DcatCatalogWriter = {
  mediaType: 'text/turtle',
  begin: page => turtlePrefixes + turtleOf(pageNodes(page)),
  dataset: (page, dataset) => turtleOf([entryNode(page, dataset)]),
  end: '',
}

export const jsonLdCatalog: DcatCatalogWriter = {
  mediaType: 'application/ld+json',
  begin: page =>
    `{"@context":${JSON.stringify(jsonLdContext)},"@graph":[${pageNodes(page).map(json).join(',\n')}`,
  dataset: (page, dataset) => `,\n${json(entryNode(page, dataset))}`,
  end: ']}\n',
}

function json(node: RdfNode): string {
  return JSON.stringify(jsonLdOf(node))
}

/** The statement that the catalogue contains a record. */
function entryNode({ iri }: CatalogPage, dataset: RdfNode): RdfNode {
  return { iri, properties: [['dcat:dataset', dataset]] }
}

function pageNodes(page: CatalogPage): readonly RdfNode[] {
  const count = (name: RdfProperty[0], number: number): RdfProperty => [
    name,
    { text: String(number), type: 'xsd:integer' },
  ]
  return [
    {
      iri: page.iri,
      types: ['dcat:Catalog'],
      properties: [
        ['dct:title', { text: page.title }],
        ['dct:description', { text: page.description }],
        ['dct:publisher', { types: ['foaf:Agent'], properties: [['foaf:name', { text: page.title }]] }],
        ['foaf:homepage', { iri: page.homepage, types: ['foaf:Document'] }],
      ],
    },
    {
      iri: page.page,
      types: ['hydra:PagedCollection'],
      properties: [
        count('hydra:totalItems', page.totalItems),
        count('hydra:itemsPerPage', page.itemsPerPage),
        ['hydra:first', resource(page.first)],
        ['hydra:last', resource(page.last)],
        ['hydra:previous', resource(page.previous)],
        ['hydra:next', resource(page.next)],
      ],
    },
  ]
}
