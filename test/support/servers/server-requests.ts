import { join } from 'node:path'
import { type RunningServer, runProgram } from '../program/run-program.js'

/* Requests to server processes, and commands in the repositories beside them. */

/** The answer to `GET /health`, as far as tests read it. */
export interface HealthAnswer {
  readonly status: 'UP' | 'DOWN'
  readonly head: string
  readonly catalog: string
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail?: string }>>
  readonly faults: readonly unknown[]
  readonly remote?: {
    readonly role: string
    readonly address: string
    readonly ok: boolean
    readonly detail?: string
    readonly lag?: number
  }
}

export async function healthOf({ url }: RunningServer): Promise<HealthAnswer> {
  return (await (await fetch(`${url}health`)).json()) as HealthAnswer
}

export interface SentForm {
  readonly record?: unknown
  /** Name of the form part: `schema` or `document`. */
  readonly part: 'schema' | 'document'
  readonly bytes: string
  readonly etag?: string
}

/** Sends a form to the interface. @param path relative to the URL of the server */
export function sendForm(
  { url }: RunningServer,
  method: string,
  path: string,
  sent: SentForm,
): Promise<Response> {
  const { record, part, bytes, etag } = sent
  const body = new FormData()
  if (record !== undefined) {
    body.append('record', new Blob([JSON.stringify(record)], { type: 'application/json' }), 'record.json')
  }
  body.append(part, new Blob([bytes]), part)
  return fetch(url + path, { method, body, headers: etag === undefined ? {} : { 'If-Match': etag } })
}

/** Sends a form that the server must accept. @throws Error with the answer if the server refuses it */
export async function sendAcceptedForm(...args: Parameters<typeof sendForm>): Promise<Response> {
  const answer = await sendForm(...args)
  if (!answer.ok) throw new Error(`${args[1]} ${args[2]}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** Replaces the document of a metadata record, in any state. */
export async function replaceDocument(server: RunningServer, id: string, document: string): Promise<void> {
  await sendAcceptedForm(server, 'PUT', `api/v1/metadata/${id}`, {
    part: 'document',
    bytes: document,
    etag: '*',
  })
}

/** Runs git in a folder. @returns trimmed standard output @throws Error if git fails */
export async function gitOutput(folder: string, name: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('git', ['-C', join(folder, name), ...args])
  if (code !== 0) throw new Error(`git ${args.join(' ')} in ${name} failed: ${stderr}`)
  return stdout.trim()
}
