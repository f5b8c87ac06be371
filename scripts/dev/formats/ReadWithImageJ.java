// Reads the files that are named on standard input as ImageJ does, writes for each its planes as 32-bit floating-point
// numbers (channels, then z, then time; red, green and blue of color pictures as three planes) into FILE.imagej, and
// prints a line: file, width, height, channels, slices, frames, width, height and depth of a pixel, unit, seconds
// between frames.
import ij.IJ;
import ij.ImagePlus;
import ij.io.Opener;
import ij.measure.Calibration;
import ij.process.ColorProcessor;
import ij.process.ImageProcessor;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;

public class ReadWithImageJ {
    // Signed numbers of 16 bits have a table of the values that they stand for.
    static void write(ImageProcessor plane, float[] table, DataOutputStream out) throws IOException {
        for (int y = 0; y < plane.getHeight(); ++y)
            for (int x = 0; x < plane.getWidth(); ++x)
                out.writeFloat(table == null ? plane.getf(x, y) : table[plane.get(x, y)]);
    }

    static int writePlanes(ImagePlus image, String path) throws IOException {
        float[] table = image.getCalibration().getCTable();
        boolean isColor = image.getProcessor() instanceof ColorProcessor;
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path)))) {
            for (int i = 1; i <= image.getStackSize(); ++i) {
                ImageProcessor plane = image.getStack().getProcessor(i);
                if (!isColor)
                    write(plane, table, out);
                for (int color = 0; isColor && color < 3; ++color)
                    write(plane.toFloat(color, null), null, out);
            }
        }
        return isColor ? 3 : image.getNChannels();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String path = in.readLine(); path != null; path = in.readLine()) {
            ImagePlus image = new Opener().openImage(path);
            if (image == null) {
                System.out.println(path + "\trefused");
                continue;
            }
            int channels = writePlanes(image, path + ".imagej");
            Calibration c = image.getCalibration();
            System.out.println(String.join("\t", path, "" + image.getWidth(),
                "" + image.getHeight(), "" + channels, "" + image.getNSlices(),
                "" + image.getNFrames(), "" + c.pixelWidth, "" + c.pixelHeight,
                "" + c.pixelDepth, c.getUnit().replace('\u00b5', 'u'), "" + c.frameInterval));
        }
    }
}
