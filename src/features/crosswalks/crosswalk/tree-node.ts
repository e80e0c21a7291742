/** A value of a JSON document, or an element or attribute of an XML document. */
export interface TreeNode {
  /** The text of a string, number or boolean, or of an element with all elements inside; undefined for others. */
  readonly text: string | undefined
  /** The place in the document, such as `authors[1].name`; empty for the whole document. */
  readonly path: string
  /**
   * The members, elements or attributes with a name. Entries of arrays stand for the array. Elements and attributes are
   * found by their local names, and names of attributes begin with `@`.
   */
  children(name: string): readonly TreeNode[]
  /** Whether the name of a child has a dot. */
  readonly hasDottedNames: boolean
  /** The names of the children, for a check of the content. */
  names(): readonly string[]
}
