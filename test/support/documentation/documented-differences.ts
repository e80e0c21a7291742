import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../../../src/cli/installed-package.js'

/*
 * Reads the tables of requests and answers in `docs/use/differences.md`. In a row, only the text between backquotes counts:
 * - a request begins with its method and path; `Name: value` is a header, `name=value` a part of a form;
 * - italics name the situation before the requests, or the number of times that a request is sent;
 * - an answer is a list of clauses that `;` separates; a status begins the answer to the next request, and the other
 *   clauses describe that answer.
 * The other columns contain the explanations for people, so that tests check every word of a request or an answer.
 */

/** A difference: its requests in order, and the answers of this server. */
export interface Difference {
  /** Line in the document, from 1. */
  readonly line: number
  readonly section: string
  readonly what: string
  /** The situation before the requests, by the name in the row. */
  readonly situation: string | undefined
  readonly requests: readonly Asked[]
  readonly answers: readonly Answered[]
}

export interface Asked {
  /** Number of parallel requests. */
  readonly times: number
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly parts: readonly (readonly [name: string, value: string])[]
}

export interface Answered {
  readonly statuses: readonly { readonly status: number; readonly times: number }[]
  readonly clauses: readonly string[]
}

const columns = ['What', 'Request', 'MetaStore 2', 'Here', 'Why']

/** @throws Error if a row is malformed */
export async function readDifferences(): Promise<readonly Difference[]> {
  const lines = (await readFile(join(packageFolder(), 'docs', 'use', 'differences.md'), 'utf8')).split('\n')
  let section = ''
  const rows: Difference[] = []
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('## ')) section = line.slice(3)
    if (!line.startsWith('|')) continue
    const cells = line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())
    if (cells.join() === columns.join() || cells.every(cell => /^-+$/.test(cell))) continue
    const [what = '', request = '', , here = ''] = cells
    if (cells.length !== columns.length) throw unread(index, `it has ${cells.length} columns`)
    rows.push({
      line: index + 1,
      section,
      what,
      ...requestsIn(index, request),
      answers: answersIn(index, here),
    })
  }
  for (const { line, requests, answers } of rows)
    if (requests.length !== answers.length)
      throw unread(line - 1, `it has ${requests.length} requests and ${answers.length} answers`)
  return rows
}

function requestsIn(at: number, cell: string): Pick<Difference, 'situation' | 'requests'> {
  const [, before, rest = ''] = /^(?:\*(.*?):\* )?(.*)$/.exec(cell) ?? []
  const times = Number(/^(\d+) times at once$/.exec(before ?? '')?.[1] ?? 1)
  const requests: { -readonly [Name in keyof Asked]: Asked[Name] }[] = []
  for (const { code, text } of piecesOf(rest)) {
    if (text !== undefined && !/^(?:,? then |,? and | with |, )$/.test(text)) throw unread(at, `"${text}"`)
    if (code === undefined) continue
    const [, method, path = ''] = /^([A-Z]+) (\/\S*)$/.exec(code) ?? []
    const [, header, value = ''] = /^([A-Z][A-Za-z-]+): (.+)$/.exec(code) ?? []
    const [, part, content = ''] = /^([a-z]+)=(.+)$/.exec(code) ?? []
    const last = requests.at(-1)
    if (method !== undefined) requests.push({ times, method, path, headers: [], parts: [] })
    else if (last && header !== undefined) last.headers = [...last.headers, [header, value]]
    else if (last && part !== undefined) last.parts = [...last.parts, [part, content]]
    else throw unread(at, `"${code}"`)
  }
  if (requests.length === 0) throw unread(at, 'it has no request')
  return { situation: times > 1 ? undefined : before, requests }
}

function answersIn(at: number, cell: string): readonly Answered[] {
  const answers: { statuses: { status: number; times: number }[]; clauses: string[] }[] = []
  for (const clause of clausesOf(cell)) {
    const [, status, count] = /^(?:then )?`(\d{3})`( once| \d+ times)?$/.exec(clause) ?? []
    const last = answers.at(-1)
    const times = count === undefined || count === ' once' ? 1 : Number(count.match(/\d+/)?.[0])
    if (status === undefined) last?.clauses.push(clause)
    else if (last && count !== undefined) last.statuses.push({ status: Number(status), times })
    else answers.push({ statuses: [{ status: Number(status), times }], clauses: [] })
    if (answers.length === 0) throw unread(at, `"${clause}" stands before a status`)
  }
  return answers
}

/** Splits a cell at each `; ` outside of backquotes. */
function clausesOf(cell: string): readonly string[] {
  const clauses = ['']
  for (const { code, text = '' } of piecesOf(cell)) {
    const [first = '', ...more] = text.split('; ')
    clauses.push(`${clauses.pop()}${code === undefined ? first : `\`${code}\``}`, ...more)
  }
  return clauses
}

function piecesOf(cell: string): readonly { readonly code?: string; readonly text?: string }[] {
  return cell
    .split('`')
    .map((piece, number) => (number % 2 === 1 ? { code: piece } : { text: piece }))
    .filter(({ text }) => text !== '')
}

function unread(at: number, why: string): Error {
  return new Error(
    `docs/use/differences.md, line ${at + 1} does not have a request and an answer that a test can compare: ${why}`,
  )
}
