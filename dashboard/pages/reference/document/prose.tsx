/** Text of the document: paragraphs, with code between backticks. */
export function Prose({ text }: { text: string }) {
  return (
    <div class="prose">
      {text.split('\n\n').map((paragraph) => (
        <p key={paragraph}>
          <Inline text={paragraph} />
        </p>
      ))}
    </div>
  )
}

export function Inline({ text }: { text: string }) {
  const parts = text.split(/`([^`]+)`/)
  return (
    <>
      {parts.map((part, at) =>
        at % 2 === 1 ? (
          <code class="ic" key={at}>
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  )
}
