import type { DocumentTree } from '../crosswalk/described-tree.js'
import { type DocumentPath, maxSteps, nodesAt, readPath } from '../crosswalk/document-path.js'
import type { TreeNode } from '../crosswalk/tree-node.js'
import { languageAt } from './languages.js'

/*
 * The crosswalk for documents of an unknown schema: members at the top of JSON, and elements below the root of XML, whose
 * names leave no doubt. A text is a name only if it looks like the name of one person.
 */

const names = (list: string) => list.split(' ')
const constant = (text: string) => ({ constant: text })

const agentMembers = names('creators creator authors author creators.creator authors.author Authors')
const publisherMembers = names('publisher.name publisher')

/** Small words inside of names. */
const particles = new Set(
  names('af al ap bin da das de del della den der di do dos du el la le ten ter van vom von y zu zum zur'),
)

/** Whether a text looks like the name of one person, such as `Ada Lovelace`, `Curie, M.` or `Leonardo da Vinci`. */
function isPersonName(text: string): boolean {
  const words = text.trim().split(/[\s,]+/)
  return (
    text.length <= 80 &&
    words.length >= 2 &&
    words.length <= 6 &&
    text.split(',').length <= 2 &&
    words.every(word => /^[\p{Lu}\p{Lo}][\p{L}\p{M}'’.-]*$/u.test(word) || particles.has(word))
  )
}

const isAddress = (text: string) => /^(?:https?|mailto|urn):\S+$|^[^\s@]+@[^\s@]+$/i.test(text.trim())

/** Limit of the texts that are no names. Where there are more, there are no names at all. */
const maxNoNames = 100

/**
 * The place of the members of a document, and its texts that are no names.
 * @returns names that make one crosswalk good for other documents with the same ones
 */
export function plainFactsOf({ root, element }: DocumentTree): {
  readonly at: string
  readonly noNames: readonly string[]
} {
  const at = element ? `${element.local}.` : topOf(root)
  const { agents, publishers } = pathsBelow(at)
  const noPersons = agents.flatMap(path => textsOf(root, path)).filter(text => !isPersonName(text))
  const noPublishers = publishers.flatMap(path => textsOf(root, path)).filter(isAddress)
  return { at, noNames: [...new Set([...noPersons, ...noPublishers])] }
}

/** The paths of names below the last place: documents of one kind often come one after another. */
let last = { at: '', agents: readPaths('', agentMembers), publishers: readPaths('', publisherMembers) }

function pathsBelow(at: string): typeof last {
  if (last.at !== at)
    last = { at, agents: readPaths(at, agentMembers), publishers: readPaths(at, publisherMembers) }
  return last
}

function readPaths(at: string, members: readonly string[]): readonly DocumentPath[] {
  return members.flatMap(member => readPath(at + member) ?? [])
}

/** A document that has only one member may have the others in it. */
function topOf(root: TreeNode): string {
  const [only, ...others] = root.names()
  if (only === undefined || others.length > 0) return ''
  const children = root.children(only)
  const isObject =
    children.length === 1 && children.some(child => child.path === only && child.names().length > 0)
  return isObject ? `${only}.` : ''
}

function textsOf(root: TreeNode, path: DocumentPath): readonly string[] {
  const found = nodesAt(root, path, { steps: maxSteps })
  return found.flatMap(({ text }) => (text === undefined ? [] : [text]))
}

const agent = (ownText: readonly object[]) => ({
  name: {
    first: [
      ...names('name fullName full_name creatorName authorName display_name displayName organization'),
      ...ownText,
    ],
  },
  givenName: { first: names('givenName given_name givenname firstName first_name forename') },
  familyName: { first: names('familyName family_name familyname lastName last_name surname') },
  nameIdentifiers: {
    first: names('orcid ORCID orcidId orcid_id').map(id => ({ each: id, nameIdentifier: '.' })),
  },
  affiliation: {
    first: names('affiliation affiliations institution').map(of => ({
      each: of,
      name: { first: ['name', '.'] },
    })),
  },
})

/** The crosswalk of members at the place. */
export function plainMembers({
  at,
  noNames,
}: ReturnType<typeof plainFactsOf>): Readonly<Record<string, unknown>> {
  const paths = (list: string | readonly string[]) =>
    (typeof list === 'string' ? names(list) : list).map(name => at + name)
  const first = (list: string) => ({ first: paths(list) })
  const named = (path: string) =>
    noNames.length > maxNoNames ? [] : [{ path, where: { '.': { not: noNames } } }]
  const date = (list: string, dateType: string) =>
    paths(list).map(each => ({ each, date: '.', dateType: constant(dateType) }))
  return {
    identifier: {
      first: paths('doi DOI DatasetDOI').map(each => ({
        each,
        identifier: '.',
        identifierType: constant('DOI'),
      })),
    },
    creators: { first: paths(agentMembers).map(each => [{ each, ...agent(named('.')) }]) },
    titles: { title: first('title titles.title name label dataset_title datasetTitle titles Name') },
    publisher: { first: paths(publisherMembers).flatMap(named) },
    publicationYear: first(
      'publicationYear publication_year publicationDate publication_date datePublished date_published ' +
        'published_date dateIssued issued date year',
    ),
    subjects: {
      first: paths('keywords.keyword keywords keyword Keywords subjects.subject subjects tags').map(each => [
        { each, where: { name: false, subject: false }, subject: { path: '.', split: ';' } },
        { each, subject: { first: ['subject', 'name'] } },
      ]),
    },
    dates: [
      ...date(
        'datePublished date_published publicationDate publication_date published_date issued',
        'Issued',
      ),
      ...date('dateCreated date_created created', 'Created'),
      ...date('date', 'Other'),
    ],
    language: { first: paths('language lang inLanguage').map(languageAt) },
    version: first('version'),
    rightsList: {
      first: paths('license licence licenses licences License rights license_title').map(each => [
        {
          each,
          rights: { first: ['title', 'name', 'id', 'identifier', 'url', '.'] },
          rightsUri: { first: ['url', 'uri', 'path', '@id'] },
        },
      ]),
    },
    descriptions: {
      description: first('description abstract descriptions.description descriptions summary'),
      descriptionType: constant('Abstract'),
    },
  }
}
