import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hasStandards, isOfStoredDocument, standardsParts } from './oai-standards.js'

/*
 * A second validator of OAI-PMH answers: the command `xmllint`, if the machine has it. The first validator is a library
 * that the program itself uses. One process checks all answers of a test.
 */

const mainSchema = 'main.xsd'
/** Limit of the answers for one process, because an argument list has a limit. */
const maxFiles = 500

let isThere: boolean | undefined
/** Requests by the file that contains their answer. */
const answers = new Map<string, string>()
/** A folder with the schemas, until the process ends. */
let folder: string | undefined

/** Whether answers are validated. Writes a line to standard error if the command is missing. */
export function hasXmllint(): boolean {
  if (!hasStandards) return false
  if (isThere === undefined) {
    isThere = spawnSync('xmllint', ['--version']).status === 0
    if (!isThere)
      console.error('SKIPPED: the second validation of OAI-PMH answers. This machine has no xmllint.')
  }
  return isThere
}

/** Keeps an answer until {@link takeXmllintFaults}. @param request identifies the answer in faults */
export function keepForXmllint(request: string, document: string): void {
  if (!hasXmllint()) return
  folder ??= folderWithSchemas()
  const path = join(folder, `${answers.size}.xml`)
  writeFileSync(path, document)
  answers.set(path, request)
}

function folderWithSchemas(): string {
  const made = mkdtempSync(join(tmpdir(), 'git-metastore-xmllint-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  for (const { name, text } of standardsParts(mainSchema)) {
    mkdirSync(dirname(join(made, name)), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

/** Returns the faults of the kept answers and removes these answers. */
export function takeXmllintFaults(): readonly string[] {
  if (folder === undefined || answers.size === 0) return []
  const files = [...answers.keys()]
  try {
    const faults: string[] = []
    for (let at = 0; at < files.length; at += maxFiles)
      faults.push(...faultsIn(join(folder, mainSchema), files.slice(at, at + maxFiles)))
    return faults
  } finally {
    for (const path of files) rmSync(path)
    answers.clear()
  }
}

function faultsIn(schema: string, files: readonly string[]): readonly string[] {
  const { status, stderr, error } = spawnSync(
    'xmllint',
    ['--noout', '--nonet', '--huge', '--schema', schema, ...files],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  if (status === 0) return []
  const faults = stderr.split('\n').flatMap(line => {
    const [, path = '', number, fault = ''] = /^(.+?\.xml):(\d+): (.*)$/.exec(line) ?? []
    const request = answers.get(path)
    if (request === undefined || isOfStoredDocument(fault)) return []
    return [`${request}, by xmllint: line ${number}: ${fault}`]
  })
  // Exit codes 3 and 4: a document is invalid. 1: a document is not well-formed.
  if (error || status === null || ![1, 3, 4].includes(status))
    throw new Error(`xmllint failed with ${status}: ${stderr}`, { cause: error })
  return faults
}
