import type { TreeNode } from '../crosswalk/tree-node.js'

/** Nodes whose children are also found by other names. */
export class NodeWithNames implements TreeNode {
  /** The names in the paths have no dots. */
  readonly hasDottedNames = false
  private readonly known = new Map<string, readonly TreeNode[]>()

  constructor(
    private readonly node: TreeNode,
    private readonly writtenAs: (name: string) => readonly string[],
  ) {}

  get text(): string | undefined {
    return this.node.text
  }

  get path(): string {
    return this.node.path
  }

  children(name: string): readonly TreeNode[] {
    const known = this.known.get(name) ?? this.find(name)
    this.known.set(name, known)
    return known
  }

  names(): readonly string[] {
    return this.node.names()
  }

  private find(name: string): readonly TreeNode[] {
    let found = this.node.children(name)
    if (found.length === 0)
      for (const other of this.writtenAs(name)) {
        found = this.node.children(other)
        if (found.length > 0) break
      }
    return found.map(node => new NodeWithNames(node, this.writtenAs))
  }
}
