// Bundles the browser application into one folder of the program. The bundler is that of the program: it reads TypeScript
// and JSX, and installs in a second. See docs/decisions/019-the-web-application.md.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { importBundler, packageFolders, root } from './setup.js'

/** Folder of the sources of the application. */
export const browserSource = join(root, 'src', 'features', 'web', 'browser')
/** Packages that are written for React use Preact, which has the same interface. */
const alias = {
  react: 'preact/compat',
  'react-dom': 'preact/compat',
  'react/jsx-runtime': 'preact/jsx-runtime',
}

/**
 * Bundles the application. A server that starts meanwhile finds all files of the old or of the new list.
 * @param folder gets `manifest.json`, the list of the files, and each file also compressed, with `.br` and `.gz`
 */
export async function bundleBrowser(folder) {
  // A checkout may lack the feature.
  if (!existsSync(browserSource)) return rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { chunks, packages } = await bundleScripts()
  const style = styleFile()
  const files = [...chunks.map(({ fileName, code }) => ({ name: fileName, bytes: Buffer.from(code) })), style]
  for (const { name, bytes } of files) writeCompressed(join(folder, name), bytes)
  const [entry, ...imports] = firstView(chunks)
  const manifest = {
    script: entry.fileName,
    imports: imports.map(({ fileName }) => fileName),
    pages: scriptsOfPages(chunks),
    style: style.name,
    files: files.map(({ name }) => name),
  }
  const list = join(folder, 'manifest.json')
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).files : []
  writeFileSync(`${list}.new`, JSON.stringify(manifest))
  renameSync(`${list}.new`, list)
  writeFileSync(join(folder, 'LICENSES.txt'), packages)
  const kept = new Set([...manifest.files, ...before].flatMap(name => [name, `${name}.br`, `${name}.gz`]))
  for (const name of readdirSync(folder))
    if (!kept.has(name) && name !== 'manifest.json' && name !== 'LICENSES.txt') rmSync(join(folder, name))
}

async function bundleScripts() {
  const { rolldown } = await importBundler()
  const bundled = await rolldown({
    input: { application: join(browserSource, 'application.tsx') },
    platform: 'browser',
    resolve: { alias, extensionAlias: { '.js': ['.ts', '.tsx', '.js'] }, modules: packageFolders() },
    // The form of JSX is in tsconfig.json of the application.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onLog: (level, { code, message }) => {
      // A directive of packages for React, about servers.
      if (level === 'warn' && code !== 'MODULE_LEVEL_DIRECTIVE') throw new Error(message)
    },
  })
  const options = {
    format: 'es',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  }
  const { output: apart } = await bundled.generate(options)
  const { output } = await bundled.generate({ ...options, codeSplitting: { groups: groupsOf(apart) } })
  return { chunks: output, packages: licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)) }
}

/**
 * Modules that are one file together: one request, where a phone would wait for several rounds of them, and they compress
 * better. No module imports one of a later group, because a module is needed by each page that needs what imports it.
 */
function groupsOf(chunks) {
  const first = firstView(chunks)
  const pages = chunks.filter(isPage)
  const neededBy = new Map(pages.map(page => [page, withImports([page], chunks)]))
  const pagesOf = chunk => pages.filter(page => neededBy.get(page).includes(chunk))
  const hasParsers = ({ moduleIds }) => moduleIds.some(id => /@lezer|editor\/places/.test(id))
  const isEditing = page => neededBy.get(page).some(hasParsers)
  const isWriting = ({ name }) =>
    /^(?:access|edit|impact|new|restore|schema-\w+|upload)-page$|editor$/.test(name)
  const of = (...names) =>
    withImports(
      chunks.filter(({ name }) => names.includes(name)),
      chunks,
    )
  const [form, completion] = [of('editable-form', 'start-text'), of('json-completion')]
  const groups = {
    'first-view': first,
    shared: [],
    writing: [],
    parsers: [],
    editing: [],
    'json-schema': [],
    form: [],
  }
  for (const chunk of chunks) {
    if (chunk.isDynamicEntry ? !form.includes(chunk) : first.includes(chunk)) continue
    const needing = pagesOf(chunk)
    if (hasParsers(chunk)) groups.parsers.push(chunk)
    else if (needing.length === 0 && form.includes(chunk))
      groups[completion.includes(chunk) ? 'json-schema' : 'form'].push(chunk)
    else if (needing.length > 1 && needing.every(isEditing)) groups.editing.push(chunk)
    else if (needing.length > 1 && needing.every(isWriting)) groups.writing.push(chunk)
    else if (needing.length > 2 || form.includes(chunk)) groups.shared.push(chunk)
  }
  return Object.entries(groups).map(([name, parts], index) => {
    const modules = new Set(parts.flatMap(({ moduleIds }) => moduleIds))
    // The entry is the file that the document starts.
    modules.delete(first[0].facadeModuleId)
    return { name, test: id => modules.has(id), priority: 10 - index }
  })
}

/** The chunks that every page loads: the one that the document starts, then those that it imports, directly or not. */
function firstView(chunks) {
  return withImports(
    chunks.filter(({ isEntry }) => isEntry),
    chunks,
  )
}

/** Chunks, and those that they import, directly or not. */
function withImports(chunks, all) {
  const byName = new Map(all.map(chunk => [chunk.fileName, chunk]))
  const found = new Set(chunks)
  // A loop over a set also comes to the entries that it adds.
  for (const { imports } of found) for (const name of imports) found.add(byName.get(name))
  return [...found]
}

/** Whether a chunk is a page, or the editor of a new document, which its page loads when the schema is known. */
function isPage({ isDynamicEntry, name }) {
  return isDynamicEntry && /-page$|^new-document-editor$/.test(name)
}

/** By the name of the module of a page, such as `edit-page`: the scripts that it needs beside those of every page. */
function scriptsOfPages(chunks) {
  const first = new Set(firstView(chunks))
  const pages = chunks.filter(isPage)
  return Object.fromEntries(
    pages.map(page => [
      page.name,
      withImports([page], chunks).flatMap(chunk => (first.has(chunk) ? [] : [chunk.fileName])),
    ]),
  )
}

/** All style sheets as one file. */
function styleFile() {
  const folder = join(browserSource, 'style')
  const bytes = Buffer.concat(
    readdirSync(folder)
      .filter(name => name.endsWith('.css'))
      .sort()
      .map(name => readFileSync(join(folder, name))),
  )
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 8)
  return { name: `application-${hash}.css`, bytes }
}

function writeCompressed(file, bytes) {
  // The name has a hash of the content.
  if (existsSync(`${file}.gz`)) return
  writeFileSync(file, bytes)
  const quality = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: quality }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

/** The licences of the packages whose modules are bundled. */
function licensesOf(modules) {
  const folders = modules.map(
    path => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0],
  )
  const texts = [...new Set(folders)]
    .filter(Boolean)
    .sort((a, b) => a.localeCompare(b))
    .map(folder => {
      const license = readdirSync(folder).find(name => /^licen[cs]e/i.test(name))
      const { name, version, license: named } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      return `${name} ${version}\n\n${license ? readFileSync(join(folder, license), 'utf8') : named}`
    })
  return `${texts.join('\n\n')}\n`
}
