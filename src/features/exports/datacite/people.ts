import { publicSubjects, selfPrincipal } from '../../../core/access-control.js'
import type {
  DataCiteContributor,
  DataCiteName,
  DataCitePublisher,
} from '../../../core/records/datacite-document.js'
import type { Agent, StoredRecord } from '../../../core/records/record.js'
import { visibleText } from '../../../core/text/clean-text.js'
import { camelCase } from './datacite-terms.js'

/** Names in records that stand for no person: a service without authentication writes them. */
const namesWithoutPerson: ReadonlySet<string> = new Set([selfPrincipal.sid, ...publicSubjects])

/** The visible text of a name; undefined if it is blank, or a name of the service itself. */
function visibleName(text: string | undefined): string | undefined {
  const name = visibleText(text)
  return name === undefined || namesWithoutPerson.has(name) ? undefined : name
}

/** The creators in their order. */
export function creatorsOf({ creators = [] }: StoredRecord): readonly DataCiteName[] {
  return creators.flatMap(nameOf)
}

export function publisherOf({ publisher }: StoredRecord): DataCitePublisher | undefined {
  const name = visibleName(publisher)
  return name === undefined ? undefined : { name }
}

/**
 * Whether the publisher may be the caller who created the record: a client that names none stores the caller as creator,
 * as publisher and as administrator; one that commits with git the author as creator and publisher.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function hasCallerAsPublisher(record: StoredRecord): boolean {
  const { publisher, acls = [] } = record
  return (
    publisher !== undefined &&
    (acls.some(({ sid, permission }) => permission === 'ADMINISTRATE' && sid === publisher) ||
      hasPublisherAsCreator(record))
  )
}

/** Whether the only creator has the name of the publisher and nothing else. */
export function hasPublisherAsCreator(record: StoredRecord): boolean {
  const creator = bareCreatorOf(record)
  return creator !== undefined && creator.givenName === record.publisher && creator.familyName === undefined
}

/** The only creator, if it has no affiliation. */
function bareCreatorOf({ creators = [] }: StoredRecord): Agent | undefined {
  const [creator, ...others] = creators
  return others.length === 0 && (creator?.affiliations ?? []).length === 0 ? creator : undefined
}

/**
 * Whether the only creator may be the caller who created the record, whom the service fills in with the names of the
 * token, or else the subject as given name, and never with an affiliation. The record does not have the names of the
 * token: the author of its first commit tells, see {@link isNameOf}.
 * @see docs/contract.md#defaults-of-a-new-record
 */
export function hasCallerAsCreator(record: StoredRecord): boolean {
  const { publisher } = record
  // A service without authentication fills in its own name, which is never that of a creator.
  if (publisher !== undefined && namesWithoutPerson.has(publisher)) return false
  return bareCreatorOf(record) !== undefined && hasCallerAsPublisher(record)
}

/** Whether a name, such as that of the author of a commit, is the name of the creator. */
export function isNameOf({ givenName = '', familyName = '' }: Agent, name: string): boolean {
  // Git leaves out some characters of names.
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '')
  return letters(givenName + familyName) === letters(name)
}

export function contributorsOf({ contributors = [] }: StoredRecord): readonly DataCiteContributor[] {
  return contributors.flatMap(({ user = {}, contributionType = 'OTHER' }) =>
    nameOf(user).map(name => ({ contributorType: camelCase(contributionType), ...name })),
  )
}

/** A person or an institution; empty without a name. Only a name with two parts is known to be that of a person. */
function nameOf({ givenName, familyName, affiliations = [] }: Agent): readonly DataCiteName[] {
  const given = visibleName(givenName)
  const family = visibleName(familyName)
  const name = [family, given].filter(part => part !== undefined).join(', ')
  if (name === '') return []
  const affiliation = [...new Set(affiliations.map(visibleText))].flatMap(each =>
    each === undefined ? [] : [{ name: each }],
  )
  return [
    {
      name,
      ...(given !== undefined &&
        family !== undefined && { nameType: 'Personal' as const, givenName: given, familyName: family }),
      ...(affiliation.length > 0 && { affiliation }),
    },
  ]
}
