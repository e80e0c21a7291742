import java.io.File;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.w3c.dom.ls.LSInput;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXParseException;

/**
 * Validates documents with the Xerces of the JDK: java XercesVerdicts.java xml.xsd schema.xsd document.xml...
 * Prints a line for the schema and one for each document: "valid" or "invalid", a tab, the path, a tab, the first error.
 * The first argument is the schema of the namespace xml. Nothing is read from the network.
 */
public class XercesVerdicts {
  public static void main(String[] arguments) throws Exception {
    SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
    factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, false);
    String xmlSchema = Files.readString(Path.of(arguments[0]));
    factory.setResourceResolver((type, namespace, publicId, systemId, base) ->
      XMLConstants.XML_NS_URI.equals(namespace) ? new Text(xmlSchema)
        : systemId != null && systemId.matches("https?:.*") ? new Text("") : null);
    FirstError faults = new FirstError();
    factory.setErrorHandler(faults);
    Schema schema = null;
    try {
      schema = factory.newSchema(new File(arguments[1]));
    } catch (SAXParseException error) {
      faults.note(error);
    }
    print(arguments[1], faults);
    if (schema == null || faults.message != null) return;
    for (int index = 2; index < arguments.length; index++) {
      Validator validator = schema.newValidator();
      FirstError errors = new FirstError();
      validator.setErrorHandler(errors);
      try {
        validator.validate(new StreamSource(new File(arguments[index])));
      } catch (SAXParseException error) {
        errors.note(error);
      }
      print(arguments[index], errors);
    }
  }

  static void print(String path, FirstError errors) {
    String verdict = errors.message == null ? "valid" : "invalid";
    System.out.println(verdict + "\t" + path + "\t" + (errors.message == null ? "" : errors.message.replaceAll("\\s+", " ")));
  }

  static class FirstError implements ErrorHandler {
    String message;
    void note(SAXParseException error) {
      if (message == null) message = error.getLineNumber() + ": " + error.getMessage();
    }
    public void warning(SAXParseException warning) {}
    public void error(SAXParseException error) { note(error); }
    public void fatalError(SAXParseException error) { note(error); }
  }

  /** A text in place of a file. */
  record Text(String text) implements LSInput {
    public java.io.Reader getCharacterStream() { return new StringReader(text); }
    public void setCharacterStream(java.io.Reader stream) {}
    public java.io.InputStream getByteStream() { return null; }
    public void setByteStream(java.io.InputStream stream) {}
    public String getStringData() { return null; }
    public void setStringData(String data) {}
    public String getSystemId() { return "in-memory.xsd"; }
    public void setSystemId(String id) {}
    public String getPublicId() { return null; }
    public void setPublicId(String id) {}
    public String getBaseURI() { return null; }
    public void setBaseURI(String uri) {}
    public String getEncoding() { return null; }
    public void setEncoding(String encoding) {}
    public boolean getCertifiedText() { return false; }
    public void setCertifiedText(boolean certified) {}
  }
}
