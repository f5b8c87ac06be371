// Reads the files that are named on standard input as QuPath does, through Bio-Formats: the first image of each, at its
// full resolution. Writes its planes (channels, then z, then time) into FILE.bioformats and prints a line: file, width,
// height, channels, slices, frames, width, height and depth of a pixel in um, seconds between frames, the pixel's type,
// and whether its low bytes come first.
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import loci.common.DebugTools;
import loci.formats.ChannelSeparator;
import loci.formats.FormatTools;
import loci.formats.ImageReader;
import loci.formats.MetadataTools;
import loci.formats.meta.IMetadata;
import ome.units.UNITS;
import ome.units.quantity.Length;
import ome.units.quantity.Time;

public class ReadWithBioFormats {
    static String micrometers(Length length) {
        return length == null ? "0" : "" + length.value(UNITS.MICROMETER);
    }

    static void read(String path) throws Exception {
        ChannelSeparator reader = new ChannelSeparator(new ImageReader());
        IMetadata facts = MetadataTools.createOMEXMLMetadata();
        reader.setMetadataStore(facts);
        reader.setId(path);
        try (OutputStream out = new FileOutputStream(path + ".bioformats")) {
            for (int t = 0; t < reader.getSizeT(); ++t)
                for (int z = 0; z < reader.getSizeZ(); ++z)
                    for (int c = 0; c < reader.getSizeC(); ++c)
                        out.write(reader.openBytes(reader.getIndex(z, c, t)));
        }
        Time step = facts.getPixelsTimeIncrement(0);
        System.out.println(String.join("\t", path, "" + reader.getSizeX(),
            "" + reader.getSizeY(), "" + reader.getSizeC(), "" + reader.getSizeZ(),
            "" + reader.getSizeT(), micrometers(facts.getPixelsPhysicalSizeX(0)),
            micrometers(facts.getPixelsPhysicalSizeY(0)),
            micrometers(facts.getPixelsPhysicalSizeZ(0)),
            step == null ? "0" : "" + step.value(UNITS.SECOND),
            FormatTools.getPixelTypeString(reader.getPixelType()), "" + reader.isLittleEndian()));
        reader.close();
    }

    public static void main(String[] arguments) throws Exception {
        DebugTools.setRootLevel("OFF");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            try {
                read(path);
            } catch (Exception error) {
                System.out.println(path + "\trefused\t" + error.getMessage());
            }
        }
    }
}
