// Part of npm run lint: refuses regular expressions of the built source that can take more than linear time, so that no
// text of a client holds the event loop. recheck finds more than scslre, such as ambiguous alternatives like ^(a|aa)+$.
// scslre takes 0.1 s, recheck some seconds. See
// https://owasp.org/www-community/attacks/Regular_expression_Denial_of_Service_-_ReDoS
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse } from 'acorn'
import { full } from 'acorn-walk'
import { check } from 'recheck'
import { root, setup } from './setup.js'

/** A comment in the line of an expression, or in the line before it, with the reason why its time is bounded. */
const exemption = /\bregexp-time: \S+/

/**
 * The checks run in turn, with a fixed seed, and with limits of steps instead of time: large expressions are fuzzed, and
 * the result must be the same on a busy machine. An expression that needs longer than `timeout`, in milliseconds, counts
 * as unknown.
 */
const options = { timeout: 180_000, randomSeed: 1, incubationTimeout: null, attackTimeout: null }

const [folder] = process.argv.slice(2)
if (folder === undefined) await setup()
const source = folder ?? join(root, 'dist', 'src')
const files = readdirSync(source, { recursive: true }).filter(name => name.endsWith('.js'))
const known = new Map()
const found = []
for (const name of files) found.push(...(await complaintsAbout(join(source, name))))
for (const complaint of found) console.error(complaint)
if (files.length === 0) console.error(`There are no files to check in ${source}.`)
// The process of the checker would keep this one alive.
process.exitCode = found.length > 0 || files.length === 0 ? 1 : 0
process.exit()

/** @returns a line for each expression that is refused */
async function complaintsAbout(file) {
  const text = readFileSync(file, 'utf8')
  const exempt = new Set()
  const onComment = (_block, comment, _start, _end, { line }, { line: last }) => {
    if (exemption.test(comment)) for (const at of [line, last, last + 1]) exempt.add(at)
  }
  const parserOptions = {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
    allowHashBang: true,
    onComment,
  }
  const expressions = []
  full(parse(text, parserOptions), node => {
    const expression = expressionOf(node)
    if (expression !== undefined) expressions.push({ ...expression, line: node.loc.start.line })
  })
  const complaints = []
  for (const { line, shown, ...expression } of expressions.filter(each => !exempt.has(each.line))) {
    const wrong = await fault(expression)
    if (wrong !== undefined) complaints.push(`${relative(root, file)}:${line}: ${shown} ${wrong}`)
  }
  return complaints
}

/** @returns undefined if the node does not make a regular expression */
function expressionOf(node) {
  if (node.type === 'Literal' && node.regex) {
    const { pattern, flags } = node.regex
    return { pattern, flags, shown: `/${pattern}/${flags}` }
  }
  const makes = node.type === 'NewExpression' || node.type === 'CallExpression'
  if (!makes || node.callee.name !== 'RegExp') return undefined
  const [pattern, flags] = node.arguments.map(argument => argument.value)
  return { pattern, flags: flags ?? '', shown: `RegExp(${pattern ?? '…'})` }
}

async function fault({ pattern, flags }) {
  if (typeof pattern !== 'string')
    return 'is made at run time and cannot be checked: say why its time is bounded in a comment, "regexp-time: …".'
  const key = `/${pattern}/${flags}`
  const verdict = known.get(key) ?? (await check(pattern, flags, options))
  known.set(key, verdict)
  const { status, complexity, error } = verdict
  if (status === 'safe') return undefined
  if (status === 'unknown') return `could not be checked (${error.kind}): write it in simpler parts.`
  return `can take ${complexity.type} time: parse the text by hand, or let its unbounded parts not overlap.`
}
