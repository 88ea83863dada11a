// Node and the type checker find the package here; the API serves the package's own browser file in place of this one.
import MarkdownIt from 'markdown-it/browser';

export default MarkdownIt;
