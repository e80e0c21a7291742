import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'preact/hooks'
import { Link } from 'wouter'
import { Refusal } from '../api/client.js'
import { findRival } from '../api/new-records.js'
import { type FieldValues, fieldNames } from '../api/record-updates.js'
import { DraftRefused } from '../parts/draft-notes.js'
import { lazyPart } from '../parts/failure-boundary.js'
import { schemaInWords } from '../parts/use-record.js'
import { words } from '../words.js'
import { historyWords } from '../words-of-history.js'
import { writingWords } from '../words-of-writing.js'
import { ConflictChoice, News, StoreOutcome } from './editing-notices.js'
import { EditorViews } from './editor-views.js'
import { CheckResult } from './finding-list.js'
import { listFaults, type RecordFaults, RecordFields, Taken } from './record-fields.js'
import { StoreBar } from './store-bar.js'
import { findingsOf } from './use-checks.js'
import { type Editing, type OpenedDocument, useEditing } from './use-editing.js'

/** One asks what will change before storing, if at all. */
const TextComparison = lazyPart(async () => (await import('../parts/text-comparison.js')).TextComparison)

/** A document and the fields of its record. Both are stored by one request. */
export function DocumentEditor(opened: OpenedDocument) {
  const { record, draft, isReadOnly, text, caret } = opened
  const editing = useEditing(opened)
  const [compared, setCompared] = useState<string>()
  const [faults, setFaults] = useState<RecordFaults>({})
  const place = useRef<HTMLDivElement>(null)
  const { base, checks, fields } = editing
  function store(): void {
    const missing = faultsOf(fields, base.fields)
    setFaults(missing)
    const [fault] = listFaults(missing, () => place.current)
    if (fault) fault.goTo()
    else editing.store()
  }
  const on = { onChange: editing.change, onStore: store, onCheck: () => checks.checkNow() }
  const version = { language: base.language, etag: base.etag }
  const schemaName = base.schema && schemaInWords(base.schema, base.schemaTitle)
  const { findings } = findingsOf(checks.verdict)
  const listed = listFaults(faults, () => place.current)
  return (
    <>
      <News record={record} editing={editing} />
      {draft.isRefused && <DraftRefused textOf={editing.text} />}
      <ConflictChoice editing={editing} />
      <div ref={place}>
        <RecordFields
          record={fields}
          faults={faults}
          isReadOnly={isReadOnly}
          change={changed => {
            setFaults(before => (before.resource === undefined ? before : faultsOf(changed, base.fields)))
            editing.changeFields(changed)
          }}
        />
      </div>
      <EditorViews
        {...{ document: base, text, caret, isReadOnly, on }}
        label={words.edit.label(base.title)}
        textNow={editing.text}
        onOpen={editing.open}
      />
      <p>
        <Link href="/drafts">{words.drafts.link}</Link>
      </p>
      {!isReadOnly && (
        <p>
          <button
            type="button"
            aria-expanded={compared !== undefined}
            onClick={() => setCompared(compared === undefined ? editing.text() : undefined)}
          >
            {words.edit.compare(base.version)}
          </button>
        </p>
      )}
      <CheckResult
        verdict={checks.verdict}
        {...editing}
        faults={listed}
        valid={schemaName && base.schema && historyWords.restore.valid(schemaName, base.schema.version)}
      />
      {compared !== undefined && (
        <>
          <FieldChanges from={base.fields} to={fields} />
          <TextComparison
            from={{ version: base.version, document: { ...version, text: base.text } }}
            to={{ version: base.version + 1, document: { ...version, text: compared } }}
          />
        </>
      )}
      {!isReadOnly && (
        <StoreBar
          label={words.edit.store(base.version + 1)}
          {...{ isStoring: editing.isStoring, verdict: checks.verdict }}
          {...on}
          count={findings.length + listed.length}
          saying={editing}
          toFindings={listed[0]?.goTo ?? checks.toFindings}
        >
          <Outcome editing={editing} store={store} />
        </StoreBar>
      )}
    </>
  )
}

/** What a record needs and does not have. A record that was stored without it stays as it is. */
function faultsOf({ resource }: FieldValues, stored: FieldValues): RecordFaults {
  const isMissing = resource.trim() === '' && resource !== stored.resource
  return isMissing ? { resource: writingWords.newDocument.missing.resource } : {}
}

/** The fields that will change, before and after. */
function FieldChanges({ from, to }: { readonly from: FieldValues; readonly to: FieldValues }) {
  const changed = fieldNames.filter(name => from[name] !== to[name])
  if (changed.length === 0) return null
  return (
    <ul>
      {changed.map(name => (
        <li key={name} dir="auto">
          {words.edit.fieldChange(writingWords.newDocument.fields[name], from[name], to[name])}
        </li>
      ))}
    </ul>
  )
}

/** What came of storing. Of a record that describes the same already, it names that one. */
function Outcome({ editing, store }: { readonly editing: Editing; store(): void }) {
  const { outcome, base, fields } = editing
  const isTaken =
    outcome?.kind === 'failed' && outcome.error instanceof Refusal && outcome.error.status === 409
  return isTaken && base.schema && fields.resource !== base.fields.resource ? (
    <TakenResource id={base.record.id} resource={fields.resource} schema={base.schema.id} />
  ) : (
    <StoreOutcome editing={editing} store={store} />
  )
}

interface Described {
  readonly id: string
  readonly resource: string
  readonly schema: string
}

function TakenResource({ id, resource, schema }: Described) {
  const { data, isPending } = useQuery({
    queryKey: ['rival', id, resource, schema],
    queryFn: async () => (await findRival({ id, resource }, schema)) ?? null,
    gcTime: 0,
  })
  if (isPending) return null
  return <Taken rival={data && data.id !== id ? data : undefined} />
}
