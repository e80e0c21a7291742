import { serviceUrl } from '../api/client.js'
import { listSchemas, type SchemaChoice } from '../api/new-records.js'
import { readDocument } from '../api/records.js'
import { keepSetting, readSetting } from '../drafts/settings.js'
import type { DocumentClue } from './document-clue.js'

/** Limit of the schemas that are read to find the one which a document names. */
const maxCandidates = 5

interface Guess {
  readonly schema: SchemaChoice | undefined
  /** Whether several schemas have the name that the document gives, and none of them was used last. */
  readonly isAmbiguous: boolean
}

/**
 * Guesses schemas of documents: by what they name, then the schema that was used last, then the only one of the language.
 * What is asked once is remembered.
 * @param all the schemas that the service has, as far as they are read
 */
export function openGuesses(all: readonly SchemaChoice[]) {
  const asked = new Map<string, Promise<readonly SchemaChoice[]>>()
  async function guess({ language, names }: DocumentClue): Promise<Guess> {
    if (!language) return { schema: undefined, isAmbiguous: false }
    const own = all.filter(schema => schema.language === language)
    const last = readSetting(keyOf(language))
    if (names !== undefined) {
      const key = `${language} ${names}`
      const named = asked.get(key) ?? schemasNamed(names, language, all)
      asked.set(key, named)
      const found = await named
      if (found.length > 0) {
        const schema = found.length === 1 ? found[0] : found.find(({ id }) => id === last)
        return { schema, isAmbiguous: schema === undefined }
      }
    }
    const schema = own.find(({ id }) => id === last) ?? (own.length === 1 ? own[0] : undefined)
    return { schema, isAmbiguous: false }
  }
  return guess
}

/** The schemas that have this name, of the first that a search finds. */
async function schemasNamed(
  names: string,
  language: 'JSON' | 'XML',
  all: readonly SchemaChoice[],
): Promise<readonly SchemaChoice[]> {
  const id = names.startsWith(serviceUrl.href) && /\/schemas\/([^/?#]+)/.exec(names)?.[1]
  const here = id && all.find(schema => schema.id === decodeURIComponent(id))
  if (here) return [here]
  const few =
    all.length <= maxCandidates ? all : (await listSchemas(`"${names.replaceAll('"', ' ')}"`)).schemas
  const candidates = few.filter(schema => schema.language === language).slice(0, maxCandidates)
  const identities = await Promise.all(
    candidates.map(async ({ id, version }) =>
      identityOf((await readDocument({ collection: 'schemas', id }, version)).text, language),
    ),
  )
  return candidates.filter((_, index) => withoutFragment(identities[index]) === withoutFragment(names))
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
