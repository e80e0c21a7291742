import { serviceUrl } from '../api/client.js'
import { listSchemas, type SchemaChoice } from '../api/new-records.js'
import { readDocument } from '../api/records.js'
import { keepSetting, readSetting } from '../drafts/settings.js'
import type { DocumentClue } from './document-clue.js'

/** Limit of the schemas that are read to find the one which a document names. */
const maxCandidates = 5

/**
 * Guesses schemas of documents: by what they name, then the schema that was used last, then the only one of the language.
 * What is asked once is remembered.
 * @param all the schemas that the service has, as far as they are read
 */
export function openGuesses(all: readonly SchemaChoice[]) {
  const asked = new Map<string, Promise<SchemaChoice | undefined>>()
  async function guess({ language, names }: DocumentClue): Promise<SchemaChoice | undefined> {
    if (!language) return undefined
    const own = all.filter(schema => schema.language === language)
    if (names !== undefined) {
      const key = `${language} ${names}`
      const named = asked.get(key) ?? schemaNamed(names, language, all)
      asked.set(key, named)
      const found = await named
      if (found) return found
    }
    const last = readSetting(keyOf(language))
    return own.find(({ id }) => id === last) ?? (own.length === 1 ? own[0] : undefined)
  }
  return guess
}

async function schemaNamed(
  names: string,
  language: 'JSON' | 'XML',
  all: readonly SchemaChoice[],
): Promise<SchemaChoice | undefined> {
  const id = names.startsWith(serviceUrl.href) && /\/schemas\/([^/?#]+)/.exec(names)?.[1]
  const here = id && all.find(schema => schema.id === decodeURIComponent(id))
  if (here) return here
  const few =
    all.length <= maxCandidates ? all : (await listSchemas(`"${names.replaceAll('"', ' ')}"`)).schemas
  const candidates = few.filter(schema => schema.language === language).slice(0, maxCandidates)
  for (const candidate of candidates) {
    const { text } = await readDocument({ collection: 'schemas', id: candidate.id }, candidate.version)
    if (withoutFragment(identityOf(text, language)) === withoutFragment(names)) return candidate
  }
  return undefined
}

/** The `$id` of a JSON Schema, the target namespace of an XSD. */
export function identityOf(schema: string, language: 'JSON' | 'XML'): string | undefined {
  if (language === 'XML') return /\btargetNamespace\s*=\s*["']([^"']{1,2000})["']/.exec(schema)?.[1]
  const { $id, id } = JSON.parse(schema) as { readonly $id?: unknown; readonly id?: unknown }
  return [$id, id].find(value => typeof value === 'string') as string | undefined
}

function withoutFragment(identity: string | undefined): string | undefined {
  return identity?.replace(/#$/, '')
}

function keyOf(language: string): string {
  return `last schema ${serviceUrl.pathname} ${language}`
}

/** Remembers the schema for the next upload. */
export function rememberSchema({ id, language }: Pick<SchemaChoice, 'id' | 'language'>): void {
  keepSetting(keyOf(language), id)
}
