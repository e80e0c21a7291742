/** Narrows a search to documents with a value at a path that a schema declares for the search. */
export interface DeclaredNarrowing {
  readonly path: string
  readonly value: string
}

/** The form of the parameter `declared`, such as `instrument.name=SEM`. */
export function textOfDeclared({ path, value }: DeclaredNarrowing): string {
  return `${path.replaceAll('%', '%25').replaceAll('=', '%3D')}=${value}`
}

/** Parses what {@link textOfDeclared} writes. @returns undefined for a text of another form */
export function parseDeclared(text: string): DeclaredNarrowing | undefined {
  const end = text.indexOf('=')
  const path = text.slice(0, Math.max(0, end))
  if (path === '' || /%(?!25|3[Dd])/.test(path)) return undefined
  const value = text.slice(end + 1)
  return { path: path.replace(/%3d/gi, '=').replaceAll('%25', '%'), value }
}
