import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'preact/hooks'
import { type Change, readNewestCommit } from '../api/change-pages.js'
import { observeChanges, openChangeStream } from '../api/change-stream.js'
import { unlessMissing } from '../api/client.js'
import { listSchemas, readSchemaChoice, type SchemaChoice } from '../api/new-records.js'
import { NothingYet } from '../search/nothing-yet.js'
import { words } from '../words.js'
import { FailureMessage } from './failure-message.js'

const none: readonly SchemaChoice[] = []

/** Lists of schemas on this page have the titles of now. */
export function useSchemaChanges(): void {
  useEffect(() => {
    const opening = new AbortController()
    let close = () => {}
    const open = (since: string) => {
      if (!opening.signal.aborted) close = openChangeStream(since, { kind: 'schema' }, () => undefined)
    }
    // Without an answer, the page that asks for the schemas says why.
    readNewestCommit(opening.signal).then(open, () => undefined)
    return () => {
      opening.abort()
      close()
    }
  }, [])
}

/**
 * The schemas that have all typed words. If there are more than one answer has, the server looks for them.
 * @param typed what a person has typed
 */
export function useSchemas(typed: string) {
  const queries = useQueryClient()
  const reread = ({ kind }: Change) =>
    kind === 'schema' && void queries.invalidateQueries({ queryKey: ['schemas'] })
  useEffect(() => observeChanges(reread), [])
  const all = useQuery({
    queryKey: ['schemas', ''],
    queryFn: ({ signal }) => listSchemas('', signal),
    staleTime: 60_000,
  })
  const isWhole = !all.data || all.data.total <= all.data.schemas.length
  const query = queryOf(typed)
  const found = useQuery({
    queryKey: ['schemas', query],
    queryFn: ({ signal }) => listSchemas(query, signal),
    enabled: !isWhole && query !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const isAsked = !isWhole && query !== ''
  const { error, refetch } = isAsked ? found : all
  // If the search fails, the schemas that are known already stay.
  const data = (isAsked && found.data) || all.data
  const schemas = data?.schemas ?? none
  return {
    schemas: data === all.data ? schemas.filter(schema => hasWords(schema, typed)) : schemas,
    total: data?.total,
    isWhole,
    isAsking: isAsked && found.isPlaceholderData,
    error,
    refetch,
  }
}

/** The beginnings of words, in the syntax of the search. */
function queryOf(typed: string): string {
  return (typed.match(/[\p{L}\p{N}]+/gu) ?? []).map(word => `${word}*`).join(' ')
}

/** Names of schemas, for people: their titles, with the id where others have the same. */
function namesOf(schemas: readonly SchemaChoice[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { title } of schemas) counts.set(title, (counts.get(title) ?? 0) + 1)
  return schemas.map(({ title, id }) => (counts.get(title) === 1 ? title : `${title} (${id})`))
}

/**
 * The schema that a person names.
 * @param named its title, alone or with the id in parentheses, some words that only it has, or its id
 * @returns undefined: there is none, or more than one
 */
export async function findSchema(named: string): Promise<SchemaChoice | undefined> {
  const { schemas, total } = await listSchemas(queryOf(named))
  const index = namesOf(schemas).indexOf(named)
  const found = schemas[index] ?? (total === 1 ? schemas[0] : undefined)
  return found ?? (await unlessMissing(readSchemaChoice(named)))
}

/** A field for the title of a schema. The server looks for what is typed. @param props.fault why there is no such schema */
export function SchemaTitleField({
  value,
  fault,
  change,
}: {
  readonly value: string
  readonly fault: string | undefined
  change(value: string): void
}) {
  const id = useId()
  const { schemas } = useSchemas(value)
  const names = namesOf(schemas)
  return (
    <>
      <label>
        {words.changes.schema}
        <input
          list={`${id}-schemas`}
          value={value}
          autocapitalize="off"
          autocomplete="off"
          placeholder={words.changes.allSchemas}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-fault`}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
        <datalist id={`${id}-schemas`}>
          {names.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <span id={`${id}-fault`} class="finding" role="alert">
        {fault}
      </span>
    </>
  )
}

function hasWords({ title, id, description = '' }: SchemaChoice, typed: string): boolean {
  const text = `${title} ${id} ${description}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}

/** Lets a person choose a schema by its title. @param choice draws the link or the button that chooses a schema */
export function SchemaPicker({ choice }: { choice(schema: SchemaChoice): preact.ComponentChild }) {
  const [typed, setTyped] = useState('')
  const field = useId()
  const { schemas, total, isWhole, isAsking, error, refetch } = useSchemas(typed)
  useSchemaChanges()
  const failure = error && <FailureMessage error={error} retry={() => void refetch()} />
  if (total === undefined) return failure || <p role="status">{words.loading}</p>
  if (total === 0 && typed === '') return <NothingYet said={words.schemaChoice.noSchemas} />
  return (
    <>
      <p>
        <label for={field}>{words.schemaChoice.find}</label>{' '}
        <input
          id={field}
          type="search"
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
          autocomplete="off"
        />
      </p>
      {failure}
      <p role="status" class="dim">
        {schemas.length === 0
          ? isAsking
            ? words.loading
            : !error && words.schemaChoice.noSchema
          : isWhole
            ? words.schemaChoice.found(schemas.length)
            : words.schemaChoice.notAll(schemas.length, total)}
      </p>
      <ul class="records">
        {schemas.map(schema => (
          <li key={schema.id}>
            <p>{choice(schema)}</p>
            {schema.description && <p dir="auto">{schema.description}</p>}
            <p class="dim">
              <span class="mono">{schema.id}</span>, {schema.language}
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
