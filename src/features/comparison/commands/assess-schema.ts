import type { SchemaFiles } from '../../../cli/sessions/session.js'
import type { CoreParts } from '../../../compose/compose.js'
import { selfPrincipal } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import type { Id } from '../../../core/value-types.js'
import type { AffectedDocument, ImpactCounts } from '../impact/schema-impact.js'

/** Receives the effects of a schema change while they are determined. */
interface ImpactListener {
  /** Called with the progress. */
  readonly onProgress: (tally: ImpactCounts) => void
  /** Called for each affected document, in the order of ids. */
  readonly onDocument: (document: AffectedDocument) => void
  /** Called when the work has ended or failed. */
  readonly onEnd: () => void
}

export interface ImpactSummary extends Omit<ImpactCounts, 'total'> {
  readonly schema: { readonly id: string; readonly version: number }
  /** The commit whose documents were checked. */
  readonly commit: string
}

/** Assesses a new schema in a data folder. */
export async function assessInFolder(
  parts: CoreParts,
  bases: readonly string[],
  id: Id,
  upload: SchemaFiles,
  { onProgress, onDocument, onEnd }: ImpactListener,
): Promise<ImpactSummary> {
  try {
    // Loaded here: a command on a server does not need it.
    const { openImpact } = await import('../impact/schema-impact.js')
    const never = new AbortController().signal
    const assessed = await openImpact(parts).assess(selfPrincipal, id, upload, { bases }, never)
    const { schema, commit, steps } = assessed
    for await (const step of steps) {
      if (step.kind === 'document') onDocument(step.document)
      else onProgress(step.tally)
      if (step.kind !== 'end') continue
      const { checked, breaking, invalidBefore } = step.tally
      return { schema, commit, checked, breaking, invalidBefore }
    }
    throw new ProblemError('unavailable', 'The work ended before all documents were checked.')
  } finally {
    onEnd()
  }
}

/** Makes a running server assess a new schema. @param url that the server prints */
export async function assessOnServer(
  url: string,
  id: Id,
  upload: SchemaFiles,
  { onProgress, onDocument, onEnd }: ImpactListener,
): Promise<ImpactSummary> {
  try {
    const { addFiles, openClient, parseProblem } = await import('../../../cli/sessions/http-client.js')
    const body = new FormData()
    addFiles(body, 'schema', upload)
    // limit=0: documents arrive as events, not in the result.
    const path = `/api/v1/schemas/${encodeURIComponent(id)}/impact?limit=0`
    for await (const { event, data } of openClient(url).events(path, body)) {
      if (event === 'problem') throw parseProblem(data)
      const told = JSON.parse(data)
      if (event === 'progress') onProgress(told)
      if (event === 'document') onDocument(told)
      if (event === 'result') {
        const { documents, more, ...summary } = told
        return summary as ImpactSummary
      }
    }
    throw new ProblemError('unavailable', 'The answer ended before all documents were checked.')
  } finally {
    onEnd()
  }
}
