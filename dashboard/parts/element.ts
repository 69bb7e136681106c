export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  members: Partial<HTMLElementTagNameMap[Tag]>,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), members)
  made.append(...inside)
  return made
}
