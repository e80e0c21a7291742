/** A file that a person gave for a schema. */
export interface GivenFile {
  /** Its path in the folder that was dropped, with `/`; its name, if it was dropped alone. */
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Its content as UTF-8. What is not UTF-8 has replacement characters. */
  readonly text: string
}

export function givenFile(path: string, bytes: Uint8Array<ArrayBuffer>): GivenFile {
  return { path, bytes, text: new TextDecoder().decode(bytes) }
}

/** Names of files that belong to schemas. Others, such as a README, are left out. */
const schemaFileName = /\.(?:json|jsonschema|xsd|xml|dtd|ent|mod)$/i

/** Whether a file of a folder may belong to a schema. */
export function isSchemaFile(path: string): boolean {
  return schemaFileName.test(path)
}

/**
 * Guesses the file that documents follow: one to which no other file refers; of several the nearest to the top, then the
 * one that refers to most others.
 */
export function guessMainFile(files: readonly Pick<GivenFile, 'path' | 'text'>[]): string | undefined {
  const paths = new Set(files.map(({ path }) => path))
  const referred = new Map(files.map(file => [file.path, referencesOf(file, paths)]))
  const targets = new Set([...referred].flatMap(([path, found]) => found.filter(target => target !== path)))
  const free = files.filter(({ path }) => !targets.has(path))
  const depth = (path: string) => path.split('/').length
  const candidates = (free.length > 0 ? free : files).map(({ path }) => path)
  return candidates.sort(
    (a, b) =>
      depth(a) - depth(b) ||
      (referred.get(b)?.length ?? 0) - (referred.get(a)?.length ?? 0) ||
      (a < b ? -1 : 1),
  )[0]
}

/** Attributes of XML Schema and keywords of JSON Schema that refer to a file. */
const reference = /\bschemaLocation\s*=\s*(?:"([^"]*)"|'([^']*)')|"\$ref"\s*:\s*"([^"#]+)/g

/** The given files to which a file refers. */
function referencesOf(
  { path, text }: Pick<GivenFile, 'path' | 'text'>,
  paths: ReadonlySet<string>,
): readonly string[] {
  const found = new Set<string>()
  for (const [, quoted, single, json] of text.matchAll(reference)) {
    const target = quoted ?? single ?? json ?? ''
    // URLs may lead to a file by their end, as on the server.
    const relative = URL.parse(target, `file:///${path.split('/').map(encodeURIComponent).join('/')}`)
    const own = relative?.protocol === 'file:' ? decoded(relative.pathname.slice(1)) : undefined
    const last = target.slice(target.lastIndexOf('/') + 1)
    const meant =
      own && paths.has(own) ? own : [...paths].find(each => /^\w+:/.test(target) && each.endsWith(`/${last}`))
    if (meant !== undefined) found.add(meant)
  }
  return [...found]
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** What is sent beside the main file, and what cannot be. */
export interface FurtherFiles {
  /** By path relative to the main file. */
  readonly files: ReadonlyMap<string, Blob>
  /** Paths of files outside of the folder of the main file. */
  readonly outside: readonly string[]
}

/** The files beside the main one. Only those in its folder can be sent, because a path must not leave it. */
export function furtherFiles(given: readonly GivenFile[], main: string): FurtherFiles {
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  const others = given.filter(({ path }) => path !== main)
  const files = others.filter(({ path }) => path.startsWith(folder))
  return {
    files: new Map(files.map(({ path, bytes }) => [path.slice(folder.length), new Blob([bytes])])),
    outside: others.filter(({ path }) => !path.startsWith(folder)).map(({ path }) => path),
  }
}

/** The files of a schema that a person gave. */
export interface GivenState {
  readonly given: readonly GivenFile[]
  /** Path of the main file; undefined: no file was given, and the schema is typed. */
  readonly main?: string | undefined
}

/** The language of a schema, by its first character. The server decides. */
export function guessLanguage(text: string): 'JSON' | 'XML' {
  return /^\s*</.test(text.replace(/^\uFEFF/, '')) ? 'XML' : 'JSON'
}

/** The title that a schema gives itself, else the name of its file. */
export function guessTitle(text: string, path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')
  if (guessLanguage(text) === 'XML') return name
  try {
    const { title } = JSON.parse(text) as { readonly title?: unknown }
    return typeof title === 'string' && title.trim() !== '' ? title.trim() : name
  } catch (error) {
    // A broken schema has no title. The check tells its line.
    if (error instanceof SyntaxError || error instanceof TypeError) return name
    throw error
  }
}

/** An id made of a title: its letters without accents and its digits, with hyphens between the words. */
export function guessId(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return (plain.match(/[a-z0-9]+/g) ?? []).join('-').slice(0, 60)
}
